#include "checkpoint/strided_copy.h"

#include <algorithm>
#include <cstring>

namespace samestep {
namespace {

using Bytes = std::byte;

constexpr std::size_t kBufferBytes = 65'536;
constexpr std::size_t kTileBytesMax = 4'194'304;
constexpr std::size_t kLineBytes = 64;
constexpr std::size_t kTileColumns = 16;

template <std::size_t kItem>
void gather(const Bytes* source, std::ptrdiff_t step_bytes, Bytes* target, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i, source += step_bytes, target += kItem) {
    std::memcpy(target, source, kItem);  // a constant size: one load, one store
  }
}

void copy_row(const Bytes* source, std::int64_t stride, Bytes* target, std::size_t count,
              std::size_t item) {
  const auto step = static_cast<std::ptrdiff_t>(stride) * static_cast<std::ptrdiff_t>(item);
  if (stride == 1) {
    std::memcpy(target, source, count * item);
    return;
  }
  switch (item) {
    case 1:
      return gather<1>(source, step, target, count);
    case 2:
      return gather<2>(source, step, target, count);
    case 4:
      return gather<4>(source, step, target, count);
    case 8:
      return gather<8>(source, step, target, count);
    case 16:
      return gather<16>(source, step, target, count);
    default:
      for (std::size_t i = 0; i < count; ++i, source += step, target += item) {
        std::memcpy(target, source, item);
      }
  }
}

/// Rows of `columns` elements each: row r, column c lies at source[c * stride + r].
template <std::size_t kItem>
void cross(const Bytes* source, std::ptrdiff_t step_bytes, Bytes* target, std::size_t rows,
           std::size_t columns) {
  for (std::size_t first = 0; first < columns; first += kTileColumns) {
    const std::size_t count = std::min(kTileColumns, columns - first);
    const Bytes* column = source + static_cast<std::ptrdiff_t>(first) * step_bytes;
    for (std::size_t row = 0; row < rows; ++row) {
      gather<kItem>(column + row * kItem, step_bytes, target + (row * columns + first) * kItem,
                    count);
    }
  }
}

void copy_tile(const Bytes* source, std::int64_t stride, Bytes* target, std::size_t rows,
               std::size_t columns, std::size_t item) {
  const auto step = static_cast<std::ptrdiff_t>(stride) * static_cast<std::ptrdiff_t>(item);
  switch (item) {
    case 1:
      return cross<1>(source, step, target, rows, columns);
    case 2:
      return cross<2>(source, step, target, rows, columns);
    case 4:
      return cross<4>(source, step, target, rows, columns);
    case 8:
      return cross<8>(source, step, target, rows, columns);
    default:
      for (std::size_t row = 0; row < rows; ++row) {
        copy_row(source + row * item, stride, target + row * columns * item, columns, item);
      }
  }
}

}  // namespace

StridedCopy::StridedCopy(const std::byte* base, std::span<const std::int64_t> shape,
                         std::span<const std::int64_t> strides, std::size_t item_bytes)
    : at_(base), item_bytes_(item_bytes) {
  for (std::size_t i = 0; i < shape.size(); ++i) {
    left_ *= static_cast<std::uint64_t>(shape[i]);
    if (shape[i] == 1) continue;
    // The outer dimension steps over exactly one inner one: they are one.
    if (!dimensions_.empty() && dimensions_.back().stride == shape[i] * strides[i]) {
      dimensions_.back().size *= shape[i];
      dimensions_.back().stride = strides[i];
    } else {
      dimensions_.push_back({shape[i], strides[i], 0});
    }
  }
}

bool StridedCopy::is_contiguous() const noexcept {
  return dimensions_.empty() || (dimensions_.size() == 1 && dimensions_[0].stride == 1);
}

bool StridedCopy::is_crossed() const noexcept {
  const std::size_t count = dimensions_.size();
  return count >= 2 && dimensions_[count - 2].stride == 1 && dimensions_[count - 1].stride != 1;
}

std::size_t StridedCopy::preferred_bytes() const noexcept {
  if (!is_crossed()) return kBufferBytes;
  const auto row = static_cast<std::size_t>(dimensions_.back().size) * item_bytes_;
  const std::size_t rows = std::max<std::size_t>(kLineBytes / item_bytes_, 1);
  return std::clamp(row * rows, kBufferBytes, kTileBytesMax);
}

std::size_t StridedCopy::next(std::span<std::byte> target) {
  std::size_t copied = 0;
  while (left_ > 0) {
    const auto room = static_cast<std::int64_t>((target.size() - copied) / item_bytes_);
    if (room == 0) break;
    std::byte* const out = target.data() + copied;
    std::int64_t count = 1, rows = 0;
    if (dimensions_.empty()) {
      std::memcpy(out, at_, item_bytes_);
    } else if (const Dimension& last = dimensions_.back();
               is_crossed() && last.index == 0 && room >= 2 * last.size) {
      const Dimension& outer = dimensions_[dimensions_.size() - 2];
      rows = std::min(outer.size - outer.index, room / last.size);
      copy_tile(at_, last.stride, out, static_cast<std::size_t>(rows),
                static_cast<std::size_t>(last.size), item_bytes_);
      count = rows * last.size;
    } else {
      count = std::min(last.size - last.index, room);
      copy_row(at_, last.stride, out, static_cast<std::size_t>(count), item_bytes_);
    }
    copied += static_cast<std::size_t>(count) * item_bytes_;
    left_ -= static_cast<std::uint64_t>(count);
    if (left_ > 0)
      rows > 0 ? advance(dimensions_.size() - 2, rows) : advance(dimensions_.size() - 1, count);
  }
  return copied;
}

// Moves `count` steps on inside a dimension, and carries into the outer ones at its end.
void StridedCopy::advance(std::size_t dimension, std::int64_t count) noexcept {
  const auto item = static_cast<std::int64_t>(item_bytes_);
  for (std::size_t i = dimension + 1; i-- > 0; count = 1) {
    Dimension& moved = dimensions_[i];
    moved.index += count;
    at_ += count * moved.stride * item;
    if (moved.index < moved.size) return;
    at_ -= moved.size * moved.stride * item;
    moved.index = 0;
  }
}

}  // namespace samestep
