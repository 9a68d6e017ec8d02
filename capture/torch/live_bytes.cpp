#include "capture/torch/live_bytes.h"

#include <utility>

namespace samestep::libtorch {

LiveBytes::LiveBytes(at::Tensor tensor, TensorView view, std::shared_ptr<const void> memory)
    : tensor_(std::move(tensor)),
      view_(view),
      bytes_(tensor_bytes(std::move(view), std::move(memory))) {}

}  // namespace samestep::libtorch
