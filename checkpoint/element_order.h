// ElementOrder: what turns stored elements into canonical ones: byte order, and torch's lazy conj
// and neg bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "checkpoint/field_bytes.h"

namespace samestep {

struct ElementOrder {
  std::size_t part_bytes = 1;  ///< bytes of a number: of a complex element, of one of its halves
  bool swap = false;           ///< stored big-endian
  bool floating = false;       ///< negation flips the sign bit; else two's complement
  bool negate_real = false, negate_imaginary = false;
  bool complex = false;

  /// Nothing is to be done.
  bool is_plain() const noexcept { return !swap && !negate_real && !negate_imaginary; }
  /// Rewrites whole elements in place.
  void apply(std::span<std::byte> elements) const noexcept;
};

ElementOrder element_order(const TensorView& view) noexcept;

}  // namespace samestep
