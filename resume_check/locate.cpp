#include "resume_check/locate.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "resume_check/cast.h"
#include "resume_check/numbers.h"
#include "schemas/hex.h"

namespace samestep {
namespace {

template <typename Bits>
std::uint64_t ordered(const std::byte* at) {
  Bits bits;
  std::memcpy(&bits, at, sizeof bits);
  constexpr Bits kSign = Bits{1} << (8 * sizeof(Bits) - 1);
  const std::uint64_t offset = 1ull << 63;
  const std::uint64_t magnitude = static_cast<Bits>(bits & static_cast<Bits>(~kSign));
  return bits & kSign ? offset - magnitude : offset + magnitude;
}

template <typename Bits>
std::uint64_t distance(const std::byte* a, const std::byte* b) {
  const auto left = ordered<Bits>(a), right = ordered<Bits>(b);
  return left > right ? left - right : right - left;
}

/// As a number is written: the most significant byte first.
std::string hexadecimal(const std::byte* at, std::uint32_t width) {
  std::vector<std::byte> bytes(at, at + width);
  std::reverse(bytes.begin(), bytes.end());
  return "0x" + hex_of(bytes);
}

std::uint32_t width_of(const StateEntry& entry) {
  const auto width = element_bytes(entry.field.dtype);
  return width == 0 ? 1 : width;
}

void note_element(const StateEntry& source, std::uint64_t index, const std::byte* a,
                  const std::byte* b, Difference& difference) {
  const Dtype dtype = source.field.dtype;
  if (difference.elements++ == 0) {
    difference.first_index = index;
    difference.first_position = position_of(index, source.field.shape);
    difference.source_value = element_text(dtype, a);
    difference.target_value = element_text(dtype, b);
  }
  if (const auto ulp = ulp_distance(dtype, a, b)) {
    difference.ulp_max = std::max(difference.ulp_max.value_or(0), *ulp);
  }
}

}  // namespace

std::optional<Difference> locate(const StateEntry& source, const StateEntry& target) {
  if (!source.bytes || !target.bytes || source.field.dtype != target.field.dtype ||
      source.field.shape != target.field.shape || source.bytes->size() != target.bytes->size()) {
    return std::nullopt;
  }
  const auto left =
      source.bytes->contiguous().empty() ? read_all(source) : std::vector<std::byte>{};
  const auto right =
      target.bytes->contiguous().empty() ? read_all(target) : std::vector<std::byte>{};
  const std::byte* a = left.empty() ? source.bytes->contiguous().data() : left.data();
  const std::byte* b = right.empty() ? target.bytes->contiguous().data() : right.data();
  const std::uint64_t size = source.bytes->size();
  const auto width = width_of(source);
  Difference difference;
  difference.elements_total = size / width;
  for (std::uint64_t at = 0; at + width <= size; at += width) {
    if (std::memcmp(a + at, b + at, width) == 0) continue;
    std::uint64_t first = at, last = at + width - 1;
    while (a[first] == b[first]) ++first;
    while (a[last] == b[last]) --last;
    if (difference.elements == 0) difference.first_byte = first;
    difference.last_byte = last;
    note_element(source, at / width, a + at, b + at, difference);
  }
  if (difference.elements == 0) return std::nullopt;
  return difference;
}

std::vector<std::int64_t> position_of(std::uint64_t index, const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> position(shape.size());
  for (std::size_t i = shape.size(); i-- > 0;) {
    const auto length = static_cast<std::uint64_t>(std::max<std::int64_t>(shape[i], 1));
    position[i] = static_cast<std::int64_t>(index % length);
    index /= length;
  }
  return position;
}

std::optional<std::uint64_t> ulp_distance(Dtype dtype, const std::byte* a, const std::byte* b) {
  const auto left = real_element(dtype, a), right = real_element(dtype, b);
  if (!left || !right || std::isnan(*left) || std::isnan(*right)) return std::nullopt;
  switch (element_bytes(dtype)) {
    case 2:
      return distance<std::uint16_t>(a, b);
    case 4:
      return distance<std::uint32_t>(a, b);
    default:
      return distance<std::uint64_t>(a, b);
  }
}

std::string element_text(Dtype dtype, const std::byte* at) {
  if (const auto number = element_number(dtype, at)) {
    return number->exact ? std::to_string(*number->exact) : float_text(number->real);
  }
  const auto width = element_bytes(dtype);
  return hexadecimal(at, width == 0 ? 1 : width);
}

}  // namespace samestep
