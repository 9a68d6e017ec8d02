#include "checkpoint/strided_copy.h"

#include <algorithm>
#include <cstring>

namespace samestep {
namespace {

using Bytes = std::byte;

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

std::size_t StridedCopy::next(std::span<std::byte> target) {
  std::size_t copied = 0;
  while (left_ > 0) {
    const auto room = static_cast<std::int64_t>((target.size() - copied) / item_bytes_);
    if (room == 0) break;
    const bool single = dimensions_.empty();
    const std::int64_t row = single ? 1 : dimensions_.back().size - dimensions_.back().index;
    const std::int64_t count = std::min(row, room);
    copy_row(at_, single ? 1 : dimensions_.back().stride, target.data() + copied,
             static_cast<std::size_t>(count), item_bytes_);
    copied += static_cast<std::size_t>(count) * item_bytes_;
    left_ -= static_cast<std::uint64_t>(count);
    if (left_ > 0) advance(count);
  }
  return copied;
}

// Moves `count` elements on inside the innermost row, and carries into the outer dimensions at its
// end.
void StridedCopy::advance(std::int64_t count) noexcept {
  const auto item = static_cast<std::int64_t>(item_bytes_);
  for (std::size_t i = dimensions_.size(); i-- > 0; count = 1) {
    Dimension& dimension = dimensions_[i];
    dimension.index += count;
    at_ += count * dimension.stride * item;
    if (dimension.index < dimension.size) return;
    at_ -= dimension.size * dimension.stride * item;
    dimension.index = 0;
  }
}

}  // namespace samestep
