// Validation of a document against one of our JSON Schemas.
#pragma once

#include <string>
#include <string_view>

namespace samestep {

/// Empty when `document` is valid against the schema of this name; else what is wrong with it.
std::string validation_errors(std::string_view schema, const std::string& document);

}  // namespace samestep
