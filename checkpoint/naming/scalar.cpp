#include "checkpoint/naming/scalar.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "checkpoint/files/forget_pages.h"
#include "checkpoint/small_float.h"
#include "schemas/error.h"

namespace samestep {
namespace {

template <typename T>
T load(const std::array<std::byte, 8>& bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

std::optional<Value> decode(Dtype dtype, const std::array<std::byte, 8>& bytes) {
  switch (dtype) {
    case Dtype::boolean:
      return Value{load<std::uint8_t>(bytes) != 0};
    case Dtype::uint8:
      return Value{std::int64_t{load<std::uint8_t>(bytes)}};
    case Dtype::int8:
      return Value{std::int64_t{load<std::int8_t>(bytes)}};
    case Dtype::int16:
      return Value{std::int64_t{load<std::int16_t>(bytes)}};
    case Dtype::uint16:
      return Value{std::int64_t{load<std::uint16_t>(bytes)}};
    case Dtype::int32:
      return Value{std::int64_t{load<std::int32_t>(bytes)}};
    case Dtype::uint32:
      return Value{std::int64_t{load<std::uint32_t>(bytes)}};
    case Dtype::int64:
      return Value{load<std::int64_t>(bytes)};
    case Dtype::float32:
      return Value{double{load<float>(bytes)}};
    case Dtype::float64:
      return Value{load<double>(bytes)};
    case Dtype::float16:
      return Value{half_value(load<std::uint16_t>(bytes))};
    case Dtype::bfloat16: {
      const auto wide = std::uint32_t{load<std::uint16_t>(bytes)} << 16;
      return Value{double{std::bit_cast<float>(wide)}};
    }
    case Dtype::uint64: {
      const auto number = load<std::uint64_t>(bytes);
      if (number <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        return Value{static_cast<std::int64_t>(number)};
      BigInt big{{bytes.begin(), bytes.end()}};
      big.bytes.push_back(std::byte{0});
      return Value{std::move(big)};
    }
    default:
      break;
  }
  const auto real = float8_value(dtype, load<std::uint8_t>(bytes));
  return real ? std::optional<Value>(*real) : std::nullopt;
}

constexpr std::size_t kScalarsKept = 8;

}  // namespace

std::optional<Value> scalar_value(Dtype dtype, const std::vector<std::int64_t>& shape,
                                  const FieldBytes& bytes) {
  for (const std::int64_t extent : shape) {
    if (extent != 1) return std::nullopt;
  }
  std::array<std::byte, 8> element{};
  const std::uint32_t size = element_bytes(dtype);
  if (size == 0 || size > element.size() || bytes.size() != size) return std::nullopt;
  std::size_t filled = 0;
  try {
    bytes.stream([&](std::span<const std::byte> piece) {
      for (const std::byte byte : piece) {
        if (filled < element.size()) element[filled++] = byte;
      }
    });
  } catch (const Error&) {
    return std::nullopt;
  }
  static thread_local ForgetBehind behind(kScalarsKept * kMappedAtOnce);
  behind.add(bytes.contiguous());
  return filled == size ? decode(dtype, element) : std::nullopt;
}

std::optional<std::int64_t> integer_of(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
  if (const auto* real = std::get_if<double>(&value)) {
    if (std::isfinite(*real) && std::floor(*real) == *real && std::fabs(*real) < 9.0e15) {
      return static_cast<std::int64_t>(*real);
    }
  }
  return std::nullopt;
}

std::optional<std::int64_t> integer_of(const Field& field) {
  return field.value ? integer_of(*field.value) : std::nullopt;
}

}  // namespace samestep
