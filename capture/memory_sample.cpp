#include "capture/memory_sample.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "checkpoint/hasher.h"

namespace samestep {
namespace {

constexpr std::int64_t kElements = 16;
constexpr std::size_t kElementBytesMax = 16;

/// Address of an element by its row-major number.
const std::byte* address_of(const TensorView& view, std::size_t item, std::int64_t number) {
  const std::byte* address = view.base;
  for (std::size_t i = view.shape.size(); i-- > 0;) {
    address += number % view.shape[i] * view.strides[i] * static_cast<std::int64_t>(item);
    number /= view.shape[i];
  }
  return address;
}

}  // namespace

Digest sample_of(const TensorView& view) {
  const std::size_t item = view.dtype == Dtype::text ? view.item_bytes : element_bytes(view.dtype);
  std::int64_t count = 1;
  for (const std::int64_t size : view.shape) count *= size;
  std::array<std::byte, kElements * kElementBytesMax> seen;
  std::size_t bytes = 0;
  const std::int64_t picked = std::min(count, kElements);
  for (std::int64_t i = 0; i < picked; ++i) {
    const std::int64_t number = picked == 1 ? 0 : i * (count - 1) / (picked - 1);
    const std::size_t part = std::min(item, kElementBytesMax);
    std::memcpy(seen.data() + bytes, address_of(view, item, number), part);
    bytes += part;
  }
  return digest_of_chunk(std::span(seen).first(bytes));
}

}  // namespace samestep
