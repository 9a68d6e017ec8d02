#include "checkpoint/field_bytes.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "checkpoint/element_order.h"
#include "checkpoint/strided_copy.h"
#include "schemas/check.h"
#include "schemas/error.h"

namespace samestep {
namespace {

std::uint32_t elements_in_byte(Dtype dtype) noexcept {
  if (dtype == Dtype::quint4x2) return 2;
  if (dtype == Dtype::quint2x4) return 4;
  return 1;
}

/// Row-major strides of `shape`.
std::vector<std::int64_t> row_major(std::span<const std::int64_t> shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * std::max<std::int64_t>(shape[i], 1);
  return strides;
}

std::uint64_t checked_bytes(std::span<const std::int64_t> shape, std::uint64_t item) {
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  std::uint64_t bytes = item;
  bool empty = false;
  for (const std::int64_t size : shape) {
    if (size < 0) throw Error(ErrorCode::corrupt, "a tensor has a negative size", "shape");
    empty = empty || size == 0;
  }
  if (empty) return 0;
  for (const std::int64_t size : shape) {
    if (static_cast<std::uint64_t>(size) > kMax / bytes) {
      throw Error(ErrorCode::corrupt, "the size of a tensor overflows 64 bits", "shape");
    }
    bytes *= static_cast<std::uint64_t>(size);
  }
  return bytes;
}

class TensorBytes final : public FieldBytes {
 public:
  TensorBytes(TensorView view, std::size_t item, std::shared_ptr<const void> owner)
      : view_(std::move(view)),
        owner_(std::move(owner)),
        item_(item),
        size_(checked_bytes(view_.shape, item)),
        order_(element_order(view_)) {
    if (size_ > 0 && order_.is_plain() && walk().is_contiguous()) contiguous_ = {view_.base, size_};
  }

  std::uint64_t size() const override { return size_; }
  std::span<const std::byte> contiguous() const override { return contiguous_; }

  void stream(const ByteSink& sink) const override {
    if (!contiguous_.empty()) return sink(contiguous_);
    if (size_ == 0) return;
    StridedCopy copy = walk();
    const std::size_t preferred = std::max(copy.preferred_bytes() / item_ * item_, item_);
    std::vector<std::byte> buffer(
        static_cast<std::size_t>(std::min<std::uint64_t>(size_, preferred)));
    while (const std::size_t bytes = copy.next(buffer)) {
      const std::span piece(buffer.data(), bytes);
      order_.apply(piece);
      sink(piece);
    }
  }

 private:
  StridedCopy walk() const { return {view_.base, view_.shape, view_.strides, item_}; }

  TensorView view_;
  std::shared_ptr<const void> owner_;
  std::size_t item_;
  std::uint64_t size_;
  ElementOrder order_;
  std::span<const std::byte> contiguous_;
};

/// Several elements a byte: seen as whole bytes.
void pack_last_dimension(TensorView& view, std::uint32_t in_byte) {
  if (view.strides != row_major(view.shape)) {
    throw Error(ErrorCode::unsupported, "a packed tensor is not contiguous",
                std::string(to_string(view.dtype)));
  }
  if (!view.shape.empty()) view.shape.back() = (view.shape.back() + in_byte - 1) / in_byte;
  view.strides = row_major(view.shape);
}

}  // namespace

FieldBytesPtr tensor_bytes(TensorView view, std::shared_ptr<const void> owner) {
  SAMESTEP_CHECK(view.shape.size() == view.strides.size());
  const std::uint32_t item =
      view.dtype == Dtype::text ? view.item_bytes : element_bytes(view.dtype);
  if (item == 0)
    throw Error(ErrorCode::unsupported, "elements of no size", std::string(to_string(view.dtype)));
  const std::uint32_t in_byte = elements_in_byte(view.dtype);
  if (in_byte > 1) pack_last_dimension(view, in_byte);
  return std::make_shared<TensorBytes>(std::move(view), item, std::move(owner));
}

}  // namespace samestep
