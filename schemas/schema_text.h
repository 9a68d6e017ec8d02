// The JSON Schemas of our documents, built into the library (schemas/*.schema.json).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace samestep {

/// "capture.v1", "capture.v2", "capture.v3", "inspect.v1", "plan.v1", "prune.v1", "report.v1",
/// "waivers.v1".
std::vector<std::string> schema_names();
/// The text of one of them (draft-07). Throws Error{not_found} that lists the names.
const std::string& schema_text(std::string_view name);

}  // namespace samestep
