// A parsed document, or a part of it, as text again.
#pragma once

#include <string>

#include "schemas/json/node.h"
#include "schemas/json/writer.h"

namespace samestep {

/// Writes `node` as the next value. Members keep their order; numbers take their canonical form.
void write_node(JsonWriter& writer, const JsonNode& node);
/// The same on one line.
std::string json_text(const JsonNode& node);
/// `text` in canonical form when it is one JSON value, else as a JSON string.
std::string canonical_json(const std::string& text);

}  // namespace samestep
