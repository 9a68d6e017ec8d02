#include "checkpoint/small_float.h"

#include <cmath>
#include <limits>

namespace samestep {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Sign, exponent, fraction; what the largest exponent means is the caller's matter.
double number(unsigned bits, int sign_bit, int fraction_bits, int bias) {
  const unsigned fraction = bits & ((1u << fraction_bits) - 1);
  const int exponent = static_cast<int>((bits & ((1u << sign_bit) - 1)) >> fraction_bits);
  const double magnitude =
      exponent == 0 ? std::ldexp(fraction, 1 - bias - fraction_bits)
                    : std::ldexp((1u << fraction_bits) + fraction, exponent - bias - fraction_bits);
  return (bits >> sign_bit) != 0 ? -magnitude : magnitude;
}

/// The largest exponent holds infinity and NaN, as in IEEE 754.
double ieee_number(unsigned bits, int sign_bit, int fraction_bits, int bias) {
  const unsigned magnitude = bits & ((1u << sign_bit) - 1);
  const unsigned infinity = ((1u << (sign_bit - fraction_bits)) - 1) << fraction_bits;
  if (magnitude < infinity) return number(bits, sign_bit, fraction_bits, bias);
  if (magnitude > infinity) return kNan;
  return (bits >> sign_bit) != 0 ? -kInfinity : kInfinity;
}

}  // namespace

double half_value(std::uint16_t bits) noexcept { return ieee_number(bits, 15, 10, 15); }

std::optional<double> float8_value(Dtype dtype, std::uint8_t bits) noexcept {
  switch (dtype) {
    case Dtype::float8_e4m3fn:
      return (bits & 0x7F) == 0x7F ? kNan : number(bits, 7, 3, 7);
    case Dtype::float8_e5m2:
      return ieee_number(bits, 7, 2, 15);
    case Dtype::float8_e4m3fnuz:
      return bits == 0x80 ? kNan : number(bits, 7, 3, 8);
    case Dtype::float8_e5m2fnuz:
      return bits == 0x80 ? kNan : number(bits, 7, 2, 16);
    case Dtype::float8_e8m0fnu:
      return bits == 0xFF ? kNan : std::ldexp(1.0, bits - 127);
    default:
      return std::nullopt;
  }
}

}  // namespace samestep
