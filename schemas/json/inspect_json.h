// Inspection as JSON text (inspect.v1).
#pragma once

#include <string>
#include <string_view>

#include "schemas/inspection.h"

namespace samestep {

/// Values in plain form: integers beyond 64 bits as decimal strings, non-finite floats as "nan",
/// "inf", "-inf", bytes as {"bytes": count}, more than 16 numbers as {"numbers": count}.
std::string inspection_to_json(const Inspection& inspection);
/// Throws Error{corrupt} that names the JSON pointer, Error{limit}. A value that was told by its
/// count alone is absent in the result, one that became a string stays a string.
Inspection inspection_from_json(std::string_view text, const std::string& where);

}  // namespace samestep
