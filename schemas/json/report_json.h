// Report as JSON text (report.v1).
#pragma once

#include <string>
#include <string_view>

#include "schemas/report.h"

namespace samestep {

/// Values in plain form (schemas/json/inspect_json.h); contract clauses as the JSON values that
/// they are.
std::string report_to_json(const Report& report);
/// Throws Error{corrupt} that names the JSON pointer, Error{limit}. Values as in
/// inspection_from_json.
Report report_from_json(std::string_view text, const std::string& where);

}  // namespace samestep
