#include "schemas/fingerprint.h"

#include "schemas/error.h"
#include "schemas/hex.h"

namespace samestep {

Fingerprint& Fingerprint::operator+=(const Fingerprint& other) noexcept {
  low += other.low;
  high += other.high + (low < other.low ? 1 : 0);
  return *this;
}

Fingerprint& Fingerprint::operator-=(const Fingerprint& other) noexcept {
  const bool borrow = low < other.low;
  low -= other.low;
  high -= other.high + (borrow ? 1 : 0);
  return *this;
}

std::string Fingerprint::hex() const { return hex_of(high) + hex_of(low); }

Fingerprint Fingerprint::from_hex(std::string_view text) {
  if (text.size() == 32) {
    const auto high = number_from_hex(text.substr(0, 16));
    const auto low = number_from_hex(text.substr(16));
    if (high && low) return {*high, *low};
  }
  throw Error(ErrorCode::corrupt, "not a fingerprint (32 lower-case hexadecimal digits)",
              std::string(text));
}

}  // namespace samestep
