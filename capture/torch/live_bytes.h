// LiveBytes: the canonical bytes of a tensor where it lies, and the tensor itself.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <span>

#include "checkpoint/field_bytes.h"

namespace samestep::libtorch {

/// Of host memory with strides, which it keeps alive also where the tensor is given other memory.
class LiveBytes final : public FieldBytes {
 public:
  /// `memory`: what `view` lies in.
  LiveBytes(at::Tensor tensor, TensorView view, std::shared_ptr<const void> memory);

  const at::Tensor& tensor() const noexcept { return tensor_; }
  const TensorView& view() const noexcept { return view_; }

  std::uint64_t size() const override { return bytes_->size(); }
  void stream(const ByteSink& sink) const override { bytes_->stream(sink); }
  std::span<const std::byte> contiguous() const override { return bytes_->contiguous(); }

 private:
  at::Tensor tensor_;
  TensorView view_;
  FieldBytesPtr bytes_;
};

}  // namespace samestep::libtorch
