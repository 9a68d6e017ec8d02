#include "checkpoint/formats/tensor_leaf.h"

#include <algorithm>
#include <utility>

#include "schemas/check.h"

namespace samestep {

std::optional<std::uint64_t> element_count(std::span<const std::int64_t> shape) noexcept {
  std::int64_t count = 1;
  bool overflow = false, empty = false;
  for (const std::int64_t size : shape) {
    if (size < 0) return std::nullopt;
    empty = empty || size == 0;
    overflow = __builtin_mul_overflow(count, std::max<std::int64_t>(size, 1), &count) || overflow;
  }
  if (overflow) return std::nullopt;
  return empty ? 0 : static_cast<std::uint64_t>(count);
}

std::optional<std::uint64_t> tensor_byte_count(Dtype dtype,
                                               std::span<const std::int64_t> shape) noexcept {
  const auto elements = element_count(shape);
  std::int64_t bytes = 0;
  if (!elements || element_bytes(dtype) == 0 ||
      __builtin_mul_overflow(*elements, element_bytes(dtype), &bytes))
    return std::nullopt;
  return static_cast<std::uint64_t>(bytes);
}

std::vector<std::int64_t> row_major_strides(std::span<const std::int64_t> shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= std::max<std::int64_t>(shape[i], 1);
  }
  return strides;
}

Leaf tensor_leaf(const FileSlice& bytes, Dtype dtype, std::vector<std::int64_t> shape) {
  SAMESTEP_CHECK(tensor_byte_count(dtype, shape) == bytes.bytes.size());
  Leaf leaf;
  leaf.kind = FieldKind::tensor;
  leaf.dtype = dtype;
  TensorView view;
  view.base = bytes.bytes.data();
  view.dtype = dtype;
  view.shape = shape;
  view.strides = row_major_strides(shape);
  leaf.shape = std::move(shape);
  leaf.bytes = tensor_bytes(std::move(view), bytes.owner);
  return leaf;
}

}  // namespace samestep
