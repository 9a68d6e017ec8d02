// StridedCopy: elements with any strides, gathered in row-major order a buffer at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace samestep {

/// A walk over the elements of a strided block. Dimensions that lie behind one another in memory
/// are merged, so a contiguous block is one dimension of stride 1.
class StridedCopy {
 public:
  /// `base` points at element [0, ..., 0]; `strides` in elements of `item_bytes` bytes. Shapes are
  /// not negative.
  StridedCopy(const std::byte* base, std::span<const std::int64_t> shape,
              std::span<const std::int64_t> strides, std::size_t item_bytes);

  /// True when row-major order is memory order from `base` on.
  bool is_contiguous() const noexcept;
  /// A buffer size with which next() is fast.
  std::size_t preferred_bytes() const noexcept;
  /// Copies the next elements into `target` (a whole number of them) and returns the bytes copied;
  /// 0 at the end.
  std::size_t next(std::span<std::byte> target);

 private:
  struct Dimension {
    std::int64_t size, stride, index;
  };
  /// Elements next to one another in memory are next to one another in the last but one dimension
  /// (a transposed matrix, channels last): rows are copied a tile at a time.
  bool is_crossed() const noexcept;
  void advance(std::size_t dimension, std::int64_t count) noexcept;

  const std::byte* at_;
  std::size_t item_bytes_;
  std::vector<Dimension> dimensions_;  ///< outermost first; none for a single element
  std::uint64_t left_ = 1;             ///< elements not yet copied
};

}  // namespace samestep
