// Tensors of libtorch as fields: views of their memory, and writing into it.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>

#include "capture/cell.h"

namespace samestep::libtorch {

/// The field of a defined tensor; its bytes keep the tensor's memory alive and view it (LiveBytes;
/// DeviceBytes where it lies on another device; a quantized one of a device is copied here). Throws
/// Error{unsupported} for a layout without strides (sparse, nested), a meta tensor, one whose
/// memory was given back, and a dtype that is not known.
StateEntry tensor_entry(const FieldPlace& place, const at::Tensor& tensor);

/// Why `entry` cannot be written over `tensor` (another kind, dtype or shape).
std::optional<std::string> tensor_refusal(const at::Tensor& tensor, const StateEntry& entry);
/// Copies the bytes into the memory of `tensor`, without a record for autograd.
void write_tensor(const at::Tensor& tensor, const StateEntry& entry);
/// A new tensor of these bytes, on the device that the entry names.
at::Tensor tensor_from(const StateEntry& entry);

/// An undefined tensor has no field. One that is there keeps its memory, dtype and shape; one that
/// is not is made as the entry says.
class TensorCell final : public Cell {
 public:
  explicit TensorCell(at::Tensor& tensor) : tensor_(tensor) {}

  void read(const FieldPlace& place, std::vector<StateEntry>& fields) const override;
  std::optional<std::string> refusal(Rest rest, const StateEntry& entry) const override;
  void write(Rest rest, const StateEntry& entry) override;
  bool can_erase(Rest rest) const override { return rest.empty(); }
  void erase(Rest rest) override;

 private:
  at::Tensor& tensor_;
};

}  // namespace samestep::libtorch

namespace samestep {

template <>
struct CellFor<at::Tensor> {
  static std::unique_ptr<Cell> make(at::Tensor& tensor) {
    return std::make_unique<libtorch::TensorCell>(tensor);
  }
};

}  // namespace samestep
