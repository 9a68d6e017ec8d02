// Fields and values as parts of our documents. For schemas/json alone.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "schemas/boundary.h"
#include "schemas/error.h"
#include "schemas/field.h"
#include "schemas/json/node.h"
#include "schemas/json/object_reader.h"
#include "schemas/json/writer.h"

namespace samestep {

/// Tagged and lossless: {"int": 5}, {"float": 0.1}, {"float": "7ff8..."} (bits) when not finite,
/// {"str": "..."},
/// {"str_hex": "..."} when not UTF-8, {"bytes": "hex"}, {"ints": [...]}, {"floats": [...]},
/// {"bool": true}, {"none": null}.
void write_tagged(JsonWriter& writer, const Value& value);
Value read_tagged(const JsonNode& node);

/// For people and foreign programs: numbers as numbers (decimal strings beyond 64 bits), non-finite
/// floats as "nan", "inf", "-inf", bytes as {"bytes": count}, long lists of numbers as {"numbers":
/// count}.
void write_plain(JsonWriter& writer, const Value& value);
/// Nothing for a value that was told by its count alone.
std::optional<Value> read_plain(const JsonNode& node);

/// The value that `from` (role_from, ...) finds for the text of `node`; an unknown name is an error
/// at its pointer.
template <typename From>
auto read_name(const JsonNode& node, From from) {
  const std::string& name = node.as_string();
  try {
    return from(name);
  } catch (const Error& error) {
    node.fail(error.message() + ": \"" + printable(name, 60) + "\"");
  }
}

Digest read_digest(const JsonNode& node);

void write_layout(JsonWriter& writer, const Layout& layout);
Layout read_layout(const JsonNode& node);

void write_source(JsonWriter& writer, const Source& source);
Source read_source(const JsonNode& node);

/// A field as captures hold it. What has its default value is left out.
void write_field(JsonWriter& writer, const Field& field);
Field read_field(const JsonNode& node);
/// Reads path, role, kind and, of a tensor, dtype and shape.
void read_names(ObjectReader& reader, Field& field);

void write_boundary(JsonWriter& writer, const Boundary& boundary);
Boundary read_boundary(const JsonNode& node);

void write_strings(JsonWriter& writer, const std::vector<std::string>& list, bool compact = true);
void write_integers(JsonWriter& writer, const std::vector<std::int64_t>& list);
void write_map(JsonWriter& writer, const std::map<std::string, std::string>& map);
std::map<std::string, std::string> read_map(const JsonNode& node);
/// [{"what": first, "why": second}, ...]
void write_pairs(JsonWriter& writer, const std::vector<std::pair<std::string, std::string>>& pairs);
std::vector<std::pair<std::string, std::string>> read_pairs(const JsonNode& node);

}  // namespace samestep
