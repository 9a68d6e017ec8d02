#include "checkpoint/element_order.h"

#include <algorithm>

namespace samestep {
namespace {

bool is_complex(Dtype dtype) noexcept {
  return dtype == Dtype::complex32 || dtype == Dtype::complex64 || dtype == Dtype::complex128;
}

bool is_signed_magnitude(Dtype dtype) noexcept {
  return is_floating(dtype) || (dtype >= Dtype::float8_e4m3fn && dtype <= Dtype::float4_e2m1fn_x2);
}

// Little-endian parts: the sign is the top bit of the last byte.
void negate(std::span<std::byte> part, bool floating) noexcept {
  if (floating) {
    part.back() ^= std::byte{0x80};
    return;
  }
  unsigned carry = 1;
  for (std::byte& byte : part) {
    carry += static_cast<unsigned>(~byte & std::byte{0xFF});
    byte = static_cast<std::byte>(carry & 0xFFu);
    carry >>= 8;
  }
}

}  // namespace

ElementOrder element_order(const TensorView& view) noexcept {
  ElementOrder order;
  const std::size_t item = element_bytes(view.dtype);
  order.complex = is_complex(view.dtype);
  order.part_bytes = std::max<std::size_t>(order.complex ? item / 2 : item, 1);
  order.swap = view.byte_swapped && order.part_bytes > 1;
  order.floating = is_signed_magnitude(view.dtype);
  order.negate_real = view.negative;
  // conj of a lazily negated number: both apply to the imaginary half.
  order.negate_imaginary = order.complex && (view.negative != view.conjugate);
  return order;
}

void ElementOrder::apply(std::span<std::byte> elements) const noexcept {
  if (is_plain()) return;
  bool imaginary = false;
  for (std::size_t at = 0; at < elements.size(); at += part_bytes) {
    const std::span part = elements.subspan(at, part_bytes);
    if (swap) std::ranges::reverse(part);
    if (imaginary ? negate_imaginary : negate_real) negate(part, floating);
    imaginary = complex && !imaginary;
  }
}

}  // namespace samestep
