// Small floats: the numbers that formats narrower than float32 stand for.
#pragma once

#include <cstdint>
#include <optional>

#include "schemas/dtype.h"

namespace samestep {

/// IEEE 754 binary16.
double half_value(std::uint16_t bits) noexcept;
/// One of the float8_* dtypes; nothing for another dtype. Layouts: OCP 8-bit floating point
/// (e4m3fn, e5m2), their "fnuz" forms (a bias one larger, no negative zero, 0x80 is NaN), and OCP
/// microscaling's exponent alone (e8m0fnu).
std::optional<double> float8_value(Dtype dtype, std::uint8_t bits) noexcept;

}  // namespace samestep
