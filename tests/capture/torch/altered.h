// altered: one field with another value, for fault matrices.
#pragma once

#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/field_bytes.h"
#include "checkpoint/state_tree.h"

namespace samestep::libtorch {

/// The entry with other contents, of the same kind and shape.
inline StateEntry altered(const StateEntry& entry) {
  StateEntry other = entry;
  other.field.digest.reset();
  if (entry.field.kind == FieldKind::tensor) {
    auto memory = std::make_shared<std::vector<std::byte>>();
    entry.bytes->stream([&](std::span<const std::byte> piece) {
      memory->insert(memory->end(), piece.begin(), piece.end());
    });
    // The lowest bit of an element in the middle: a count stays one that can be used.
    const std::size_t width = element_bytes(entry.field.dtype);
    (*memory)[memory->size() / 2 / width * width] ^= std::byte{1};
    TensorView view{memory->data(), entry.field.dtype, entry.field.shape, {}};
    std::int64_t stride = 1;
    view.strides.resize(view.shape.size());
    for (std::size_t i = view.shape.size(); i-- > 0; stride *= view.shape[i])
      view.strides[i] = stride;
    other.bytes = tensor_bytes(view, memory);
    return other;
  }
  Value& value = *other.field.value;
  if (auto* flag = std::get_if<bool>(&value)) *flag = !*flag;
  if (auto* number = std::get_if<std::int64_t>(&value)) ++*number;
  if (auto* number = std::get_if<double>(&value))
    *number = std::isfinite(*number) ? *number + 0.5 : 1;
  if (auto* text = std::get_if<std::string>(&value))
    *text = *text == "min" ? "max" : *text == "rel" ? "abs" : "other";
  other.bytes = value_bytes(value);
  return other;
}

}  // namespace samestep::libtorch
