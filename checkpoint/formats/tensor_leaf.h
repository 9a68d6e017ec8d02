// TensorLeaf: a leaf for a contiguous, little-endian tensor in a file, and the arithmetic of
// shapes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "checkpoint/containers/file_slice.h"
#include "checkpoint/formats/document.h"

namespace samestep {

inline constexpr std::size_t kRankMax = 64;  // as torch

/// Elements of `shape`; nothing when a dimension is negative or the product overflows 63 bits.
std::optional<std::uint64_t> element_count(std::span<const std::int64_t> shape) noexcept;
/// Bytes of a contiguous tensor; nothing as above, and for a dtype of no fixed size.
std::optional<std::uint64_t> tensor_byte_count(Dtype dtype,
                                               std::span<const std::int64_t> shape) noexcept;
/// Row-major strides in elements.
std::vector<std::int64_t> row_major_strides(std::span<const std::int64_t> shape);

/// A leaf that views `bytes`, which are as long as dtype and shape say. Its source is left empty.
Leaf tensor_leaf(const FileSlice& bytes, Dtype dtype, std::vector<std::int64_t> shape);

}  // namespace samestep
