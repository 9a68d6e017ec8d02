// Seal: the checksum at the end of a manifest or of capture.json.
#pragma once

#include <string>
#include <string_view>

namespace samestep {

/// Fills in the checksum of a document of capture.v2 or v3 that ends with an empty one: XXH3 (128
/// bits) of all text before its key.
std::string sealed(std::string document);
/// Throws Error{corrupt} when `document` is of these and is not as it was sealed. Documents of
/// another version are left to their reader.
void check_seal(std::string_view document, const std::string& where);

}  // namespace samestep
