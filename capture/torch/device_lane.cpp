#include "capture/torch/device_lane.h"

#include <ATen/ops/empty.h>
#include <c10/core/Event.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

namespace samestep::libtorch {

std::shared_ptr<DeviceLane> DeviceLane::make(c10::Device device) {
  if (device.is_cpu() || device.is_meta()) return nullptr;
  try {
    const c10::impl::VirtualGuardImpl guard(device.type());
    const c10::Stream made = guard.getNewStream(device);
    if (made == guard.getStream(device)) return nullptr;
    std::shared_ptr<DeviceLane> lane(new DeviceLane(made));
    lane->follow();  // throws where there are no events
    return lane;
  } catch (const c10::Error&) {
    return nullptr;
  }
}

void DeviceLane::follow() const {
  const c10::impl::VirtualGuardImpl guard(stream_.device_type());
  c10::Event asked(stream_.device_type());
  asked.record(guard.getStream(stream_.device()));
  asked.block(stream_);
}

c10::Event DeviceLane::copy(const at::Tensor& part, const at::Tensor& target) const {
  const c10::StreamGuard here(stream_);
  const at::Tensor plain = part.resolve_conj().resolve_neg().contiguous();
  at::Tensor(target).copy_(plain.view(-1).view(at::kByte), /*non_blocking=*/true);
  c10::Event done(stream_.device_type());
  done.record(stream_);
  return done;
}

}  // namespace samestep::libtorch
