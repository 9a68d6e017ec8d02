// DeviceLane: a stream of a device beside the trainer's.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/Stream.h>

#include <memory>

namespace c10 {
struct Event;
}

namespace samestep::libtorch {

/// What is asked of it runs beside the trainer's own work, and after all that was there at the last
/// follow(). May be used from several threads.
class DeviceLane {
 public:
  /// Null for the host, and for a device that has one stream alone, or no events.
  static std::shared_ptr<DeviceLane> make(c10::Device device);

  /// All that the calling thread's stream of the device was asked so far comes first.
  void follow() const;

  /// Asks for a copy of `part` in the contiguous memory of the host `target`, which has as many
  /// bytes. Done when the event is; both must live until then.
  c10::Event copy(const at::Tensor& part, const at::Tensor& target) const;

 private:
  explicit DeviceLane(c10::Stream stream) : stream_(stream) {}

  c10::Stream stream_;
};

}  // namespace samestep::libtorch
