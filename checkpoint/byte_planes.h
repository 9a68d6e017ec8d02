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
void split_planes(std::span<const std::byte> elements, std::size_t element_bytes,
                  std::span<std::byte> planes) noexcept;
/// The inverse: planes[k] is where the bytes k of all elements lie.
void merge_planes(std::span<const std::byte* const> planes, std::span<std::byte> elements) noexcept;

}  // namespace samestep
