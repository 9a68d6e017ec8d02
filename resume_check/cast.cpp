#include "resume_check/cast.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "resume_check/numbers.h"

namespace samestep {
namespace {

constexpr std::uint64_t kCastBytesMax = 256ull << 20;

struct Width {
  int fraction_bits;  ///< without the hidden one
  int exponent_min;   ///< of the smallest normal number
  double largest;
};

double rounded_to(const Width& width, double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  int exponent = 0;
  std::frexp(value, &exponent);
  const int unit = std::max(exponent - 1, width.exponent_min) - width.fraction_bits;
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(value, -unit)), unit);
  return std::abs(rounded) > width.largest ? std::copysign(INFINITY, value) : rounded;
}

constexpr Width kHalf{10, -14, 65504.0};
constexpr Width kBrain{7, -126, 0x1.fep127};

double half_to_double(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 1023;
  double magnitude = 0;
  if (exponent == 31) {
    magnitude = fraction ? NAN : INFINITY;
  } else if (exponent == 0) {
    magnitude = std::ldexp(fraction, -24);
  } else {
    magnitude = std::ldexp(1024 + fraction, exponent - 25);
  }
  return bits & 0x8000 ? -magnitude : magnitude;
}

std::uint16_t double_to_half(double value) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7e00);
  const double magnitude = std::abs(rounded_to(kHalf, value));
  if (std::isinf(magnitude)) return static_cast<std::uint16_t>(sign | 0x7c00);
  if (magnitude < 0x1p-14) {
    return static_cast<std::uint16_t>(sign | static_cast<int>(std::ldexp(magnitude, 24)));
  }
  int exponent = 0;
  const double fraction = std::frexp(magnitude, &exponent);
  const int significand = static_cast<int>(std::ldexp(fraction, 11)) - 1024;
  return static_cast<std::uint16_t>(sign | ((exponent + 14) << 10) | significand);
}

/// A plain number has the shape of a tensor of no dimensions, and no element.
bool are_tensors(const StateEntry& source, const StateEntry& target) {
  const auto is_one = [](const StateEntry& entry) {
    return entry.field.kind == FieldKind::tensor && entry.bytes &&
           element_bytes(entry.field.dtype) > 0;
  };
  return is_one(source) && is_one(target) && source.field.shape == target.field.shape;
}

/// Of two tensors.
bool equal_as(Dtype through, const StateEntry& source, const StateEntry& target) {
  const auto from = read_all(source, kCastBytesMax), to = read_all(target, kCastBytesMax);
  const auto from_width = element_bytes(source.field.dtype);
  const auto to_width = element_bytes(target.field.dtype);
  if (from.empty() || from.size() / from_width != to.size() / to_width) return false;
  std::byte narrow[8];
  bool vanished = false, survived = false;
  for (std::size_t i = 0; i < from.size() / from_width; ++i) {
    const auto value = real_element(source.field.dtype, from.data() + i * from_width);
    const auto other = real_element(target.field.dtype, to.data() + i * to_width);
    if (!value || !other || !store_real(through, *value, narrow)) return false;
    const double expected = *real_element(through, narrow);
    if (!(expected == *other || (std::isnan(expected) && std::isnan(*other)))) return false;
    (expected == 0 ? vanished : survived) |= *value != 0;
  }
  return survived || !vanished;  // zeros are what anything might have become
}

}  // namespace

std::optional<double> real_element(Dtype dtype, const std::byte* at) noexcept {
  std::uint16_t small = 0;
  switch (dtype) {
    case Dtype::float64: {
      double value;
      std::memcpy(&value, at, sizeof value);
      return value;
    }
    case Dtype::float32: {
      float value;
      std::memcpy(&value, at, sizeof value);
      return value;
    }
    case Dtype::bfloat16:
      std::memcpy(&small, at, sizeof small);
      return std::bit_cast<float>(static_cast<std::uint32_t>(small) << 16);
    case Dtype::float16:
      std::memcpy(&small, at, sizeof small);
      return half_to_double(small);
    default:
      return std::nullopt;
  }
}

bool store_real(Dtype dtype, double value, std::byte* at) noexcept {
  if (dtype == Dtype::float64) {
    std::memcpy(at, &value, sizeof value);
  } else if (dtype == Dtype::float32) {
    const auto single = static_cast<float>(value);
    std::memcpy(at, &single, sizeof single);
  } else if (dtype == Dtype::bfloat16) {
    const auto single = static_cast<float>(rounded_to(kBrain, value));
    const auto bits = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(single) >> 16);
    std::memcpy(at, &bits, sizeof bits);
  } else if (dtype == Dtype::float16) {
    const std::uint16_t bits = double_to_half(value);
    std::memcpy(at, &bits, sizeof bits);
  } else {
    return false;
  }
  return true;
}

std::optional<Dtype> cast_between(const StateEntry& source, const StateEntry& target) {
  const auto from = source.field.dtype, to = target.field.dtype;
  if (!are_tensors(source, target)) return std::nullopt;
  if (source.field.digest && source.field.digest == target.field.digest) return std::nullopt;
  const auto width = element_bytes(from);
  if (element_bytes(to) < width) {
    return equal_as(to, source, target) ? std::optional(to) : std::nullopt;
  }
  for (const Dtype through : {Dtype::float32, Dtype::bfloat16, Dtype::float16}) {
    if (element_bytes(through) <= width && through != from && equal_as(through, source, target)) {
      return through;
    }
  }
  if (from != to && equal_as(to, source, target)) return to;
  return std::nullopt;
}

bool equal_when_widened(const StateEntry& source, const StateEntry& target) {
  return are_tensors(source, target) && is_floating(source.field.dtype) &&
         is_floating(target.field.dtype) &&
         element_bytes(source.field.dtype) < element_bytes(target.field.dtype) &&
         equal_as(target.field.dtype, source, target);
}

}  // namespace samestep
