#include "capture/torch/background_capture.h"

#include <algorithm>
#include <utility>

#include "capture/background_record.h"
#include "capture/torch/device_bytes.h"
#include "capture/torch/live_bytes.h"
#include "schemas/count_text.h"
#include "schemas/error.h"
#include "schemas/json/writer.h"

namespace samestep::libtorch {
namespace {

constexpr std::size_t kNamedMax = 3;

bool only_an_optimizer_changes(const Field& field) {
  if (field.kind != FieldKind::tensor) return false;
  const auto parts = field.path.parts();
  if (field.path.component_kind() == "optimizer") return parts.size() > 2 && parts[1] == "state";
  return field.path.component_kind() == "model" && field.role == Role::parameter;
}

}  // namespace

void BackgroundCapture::add(StateTree now) {
  auto& entries = now.entries();
  std::stable_partition(entries.begin(), entries.end(), [](const StateEntry& entry) {
    return !only_an_optimizer_changes(entry.field);
  });
  if (session_.is_in_background()) put_on_lanes(entries);
  for (StateEntry& entry : entries) hand_over(entry);
}

/// The lanes follow the trainer once the copies have been asked for.
void BackgroundCapture::put_on_lanes(std::vector<StateEntry>& entries) {
  for (auto& [name, device] : devices_) device.copied_bytes = 0;
  for (StateEntry& entry : entries) put_on_lane(entry);
  for (const auto& [name, device] : devices_)
    if (device.lane) device.lane->follow();
}

void BackgroundCapture::put_on_lane(StateEntry& entry) {
  const auto* bytes = dynamic_cast<const DeviceBytes*>(entry.bytes.get());
  if (bytes == nullptr) return;
  const at::Tensor& tensor = bytes->tensor();
  auto [found, is_new] = devices_.try_emplace(tensor.device().str());
  Device& device = found->second;
  if (is_new) device.lane = DeviceLane::make(tensor.device());
  if (!device.lane) return;
  if (may_lend(entry, tensor)) {
    entry.bytes = std::make_shared<DeviceBytes>(tensor, device.lane);
  } else if (device.copied_bytes + bytes->size() <= kDeviceCopiesMax) {
    try {
      at::Tensor copy = tensor.detach().clone();
      device.copied_bytes += bytes->size();
      entry.bytes = std::make_shared<DeviceBytes>(std::move(copy), device.lane);
    } catch (const c10::OutOfMemoryError&) {  // read at once, then
    }
  }
}

void BackgroundCapture::hand_over(StateEntry& entry) {
  const auto* of_device = dynamic_cast<const DeviceBytes*>(entry.bytes.get());
  if (of_device != nullptr && of_device->has_lane()) {
    loans_.add(entry.field.path.text(), of_device->tensor());
    return session_.add_field_later(std::move(entry.field), std::move(entry.bytes));
  }
  const auto* live = dynamic_cast<const LiveBytes*>(entry.bytes.get());
  if (live == nullptr || !session_.is_in_background() || !may_lend(entry, live->tensor()))
    return session_.add_field(std::move(entry.field), *entry.bytes);
  loans_.add(entry.field.path.text(), live->tensor());
  session_.add_field_later(std::move(entry.field), live->view(), entry.bytes);
}

bool BackgroundCapture::may_lend(const StateEntry& entry, const at::Tensor& tensor) const {
  return lends_ && only_an_optimizer_changes(entry.field) &&
         BackgroundRecord::lends(entry.field.dtype, entry.bytes->size()) &&
         Loans::may_lend(tensor) && !never_.contains(entry.field.path.text());
}

void BackgroundCapture::start() {
  session_.start_record();
  is_pending_ = true;
}

void BackgroundCapture::settle() {
  if (!is_pending_) return;
  dropped_on_error([&] {
    refuse(loans_.changed());  // named here, all of them: the session would name one
    settle(session_.settle_record());
  });
}

void BackgroundCapture::barrier() {
  if (!is_pending_) return;
  dropped_on_error([&] {
    refuse(loans_.changed());  // before anything of it is copied
    session_.barrier();
    settle(loans_.size());
    session_.commit_record();
  });
  loans_.clear();
  is_pending_ = false;
}

void BackgroundCapture::dropped_on_error(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    if (loans_.has(error.where())) never_.insert(error.where());
    drop();
    throw;
  } catch (...) {
    drop();
    throw;
  }
}

void BackgroundCapture::settle(std::size_t count) { refuse(loans_.settle(count)); }

void BackgroundCapture::refuse(const std::vector<std::string>& changed) {
  if (changed.empty()) return;
  never_.insert(changed.begin(), changed.end());
  JsonWriter facts;
  facts.object().key("fields").array();
  for (const std::string& path : changed) facts.string(path);
  session_.event("capture_dropped", facts.end().end().take());
  throw Error(ErrorCode::failed,
              "changed between the begin of the step and before_optimizer_step(), so this capture "
              "is dropped",
              some_of(changed, kNamedMax),
              "change it after that call, or record without `background` in the plan");
}

void BackgroundCapture::drop() noexcept {
  loans_.clear();
  is_pending_ = false;
  session_.abandon_record();
}

}  // namespace samestep::libtorch
