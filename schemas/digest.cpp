#include "schemas/digest.h"

#include "schemas/error.h"
#include "schemas/hex.h"

namespace samestep {

std::string Digest::hex() const { return hex_of(high) + hex_of(low); }

Digest Digest::from_hex(std::string_view text) {
  if (text.size() == 32) {
    const auto high = number_from_hex(text.substr(0, 16));
    const auto low = number_from_hex(text.substr(16));
    if (high && low) return {*high, *low};
  }
  throw Error(ErrorCode::corrupt, "not a digest (32 lower-case hexadecimal digits)",
              std::string(text));
}

}  // namespace samestep
