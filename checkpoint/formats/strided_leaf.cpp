#include "checkpoint/formats/strided_leaf.h"

#include <utility>

#include "checkpoint/formats/tensor_leaf.h"
#include "schemas/error.h"

namespace samestep {
namespace {

[[noreturn]] void fail(const std::string& where, const std::string& message) {
  throw Error(ErrorCode::corrupt, message, where, "use another checkpoint");
}

/// Index of the last element; nothing on overflow.
std::optional<std::int64_t> last_index(const StridedView& view) {
  std::int64_t last = view.offset;
  for (std::size_t i = 0; i < view.shape.size(); ++i) {
    std::int64_t reach = 0;
    if (__builtin_mul_overflow(view.shape[i] - 1, view.strides[i], &reach) ||
        __builtin_add_overflow(last, reach, &last)) {
      return std::nullopt;
    }
  }
  return last;
}

std::uint64_t bytes_per_element(const StridedView& view) {
  return view.dtype == Dtype::text ? view.item_bytes : element_bytes(view.dtype);
}

int elements_per_byte(Dtype dtype) {
  return dtype == Dtype::quint4x2 ? 2 : dtype == Dtype::quint2x4 ? 4 : 1;
}

void check(const Storage& storage, const StridedView& view, const std::string& where) {
  if (view.shape.size() > kRankMax)
    fail(where, "the tensor has " + std::to_string(view.shape.size()) + " dimensions");
  if (view.shape.size() != view.strides.size())
    fail(where, "shape and strides of the tensor have different ranks");
  const auto elements = element_count(view.shape);
  if (!elements) fail(where, "the tensor's shape is negative or overflows 64 bits");
  std::int64_t bytes = 0;
  const std::uint64_t item = bytes_per_element(view);
  if (__builtin_mul_overflow(*elements, item, &bytes))
    fail(where, "the tensor's size overflows 64 bits");
  if (view.offset < 0) fail(where, "the tensor's offset is negative");
  for (const std::int64_t stride : view.strides) {
    if (stride < 0) fail(where, "the tensor has a negative stride");
  }
  if (*elements == 0 || item == 0) return;
  auto last = last_index(view);
  if (last) *last /= elements_per_byte(view.dtype);
  std::int64_t end = 0;
  if (!last || __builtin_mul_overflow(*last, static_cast<std::int64_t>(item), &end)) {
    fail(where, "the tensor's offset and strides overflow 64 bits");
  }
  const std::uint64_t size = storage.slice.bytes.size();
  if (size < item || static_cast<std::uint64_t>(end) > size - item) {
    fail(where, "the tensor reaches past its storage (element " + std::to_string(*last) +
                    ", the storage has " + std::to_string(size) + " bytes)");
  }
}

}  // namespace

Leaf strided_leaf(const Storage& storage, const StridedView& view, const std::string& where) {
  check(storage, view, where);
  Leaf leaf;
  leaf.kind = FieldKind::tensor;
  leaf.dtype = view.dtype;
  leaf.shape = view.shape;
  leaf.layout.storage = storage.number;
  leaf.layout.storage_offset = view.offset;
  if (view.strides != row_major_strides(view.shape)) leaf.layout.strides = view.strides;
  TensorView tensor;
  const bool empty = element_count(view.shape) == 0u;
  const std::uint64_t begin =
      empty ? 0 : static_cast<std::uint64_t>(view.offset) * bytes_per_element(view);
  tensor.base = storage.slice.bytes.data() + begin;
  tensor.dtype = view.dtype;
  tensor.item_bytes = view.item_bytes;
  tensor.shape = view.shape;
  tensor.strides = view.strides;
  tensor.byte_swapped = storage.byte_swapped;
  tensor.conjugate = view.conjugate;
  tensor.negative = view.negative;
  leaf.bytes = tensor_bytes(std::move(tensor), storage.slice.owner);
  return leaf;
}

}  // namespace samestep
