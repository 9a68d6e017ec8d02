// DeviceBytes: the canonical bytes of a tensor on a device, which are copied to the host in pieces.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>

#include "capture/torch/device_lane.h"
#include "checkpoint/field_bytes.h"

namespace samestep::libtorch {

/// As large as is quick: two of them are on the host while one is read.
inline constexpr std::int64_t kPieceBytes = 16 << 20;

/// Of a tensor with strides, neither quantized nor on the host; it is kept alive. Each reader waits
/// for the device, never the trainer. Throws Error{unreadable} where the device has an error.
class DeviceBytes final : public FieldBytes {
 public:
  /// Without a lane it is read in the order of the reading thread's stream.
  explicit DeviceBytes(at::Tensor tensor, std::shared_ptr<const DeviceLane> lane = nullptr,
                       std::int64_t piece_bytes = kPieceBytes);

  const at::Tensor& tensor() const noexcept { return tensor_; }
  bool has_lane() const noexcept { return lane_ != nullptr; }

  std::uint64_t size() const override { return tensor_.nbytes(); }
  void stream(const ByteSink& sink) const override;

 private:
  at::Tensor tensor_;
  std::shared_ptr<const DeviceLane> lane_;
  std::int64_t piece_bytes_;
};

}  // namespace samestep::libtorch
