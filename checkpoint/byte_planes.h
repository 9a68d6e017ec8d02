// Byte planes: the first bytes of all elements, then the second ones, and so on. The exponents of
// floating point numbers then lie together and compress; their mantissas do not.
#pragma once

#include <cstddef>
#include <span>

namespace samestep {

/// True for the element sizes that are split: 2, 4 and 8.
bool has_planes(std::size_t element_bytes) noexcept;

/// Byte k of element i goes to planes[k * elements + i]. Both spans are equally long, a multiple of
/// `element_bytes`, and do not overlap; `element_bytes` is one of those that has_planes() names.
/// `turned`: each element is rotated by one bit to the left before, which puts the sign of a
/// floating point number below its mantissa, and its exponent into one byte as far as it fits.
void split_planes(std::span<const std::byte> elements, std::size_t element_bytes, bool turned,
                  std::span<std::byte> planes) noexcept;
/// The inverse: planes[k] is where the bytes k of all elements lie.
void merge_planes(std::span<const std::byte* const> planes, bool turned,
                  std::span<std::byte> elements) noexcept;

/// Bytes of which the lowest bit is zero, as 7 bits each.
bool are_even(std::span<const std::byte> bytes) noexcept;
/// How long `count` of them are then.
constexpr std::size_t packed_bytes(std::size_t count) noexcept { return (count + 7) / 8 * 7; }
/// `packed` has packed_bytes(bytes.size()); it may overlap `bytes` when it does not begin behind.
void pack_even(std::span<const std::byte> bytes, std::span<std::byte> packed) noexcept;
void unpack_even(std::span<const std::byte> packed, std::span<std::byte> bytes) noexcept;

}  // namespace samestep
