// BackgroundCapture: a full record that is written beside the step (capture/background_record.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "capture/session.h"
#include "capture/torch/device_lane.h"
#include "capture/torch/loans.h"
#include "checkpoint/state_tree.h"

namespace samestep::libtorch {

/// Lends parameters and optimizer slots to the record, and sees whether they stayed as they were.
/// Only in a trainer that says when its optimizer is about to step: for any other everything is
/// copied at the begin. One record at a time; `session` must outlive it. Not thread-safe.
///
/// Tensors of a device are read on a stream beside the trainer's (DeviceLane), so that the trainer
/// does not wait for the device: those that are lent where they lie, others as copies that are made
/// on the device at the begin, at most kDeviceCopiesMax bytes of them on each.
class BackgroundCapture {
 public:
  static constexpr std::uint64_t kDeviceCopiesMax = 256 << 20;

  explicit BackgroundCapture(samestep::Session& session) : session_(session) {}

  /// The trainer says before each step of its optimizer that it is about to come.
  void rely_on_barrier() noexcept { lends_ = true; }

  /// Hands all fields of `now` to the record that the session has begun, in the background or not:
  /// first those that may change at any time, then those that only an optimizer changes.
  void add(StateTree now);
  /// After the last field and the contract of a record in the background.
  void start();
  /// A record is in the works, until the barrier.
  bool is_pending() const noexcept { return is_pending_; }

  /// Now and then between start and barrier: what changes from now on does no harm to fields that
  /// have been read. Both throw what the session throws, and Error{failed} that names the fields
  /// that were changed too early; the record is dropped then, and these fields are copied in later
  /// ones.
  void settle();
  /// Returns when no memory of the trainer is read any more; the record then becomes durable.
  void barrier();
  /// Gives the record up.
  void drop() noexcept;

 private:
  struct Device {
    std::shared_ptr<const DeviceLane> lane;  ///< null: it has none
    std::uint64_t copied_bytes = 0;          ///< on the device, of this record
  };

  void put_on_lanes(std::vector<StateEntry>& entries);
  void put_on_lane(StateEntry& entry);
  bool may_lend(const StateEntry& entry, const at::Tensor& tensor) const;
  void hand_over(StateEntry& entry);
  void settle(std::size_t count);
  void dropped_on_error(const std::function<void()>& work);
  /// Where there are any.
  void refuse(const std::vector<std::string>& changed);

  samestep::Session& session_;
  Loans loans_;
  std::map<std::string, Device> devices_;
  std::set<std::string> never_;  ///< paths of fields that this trainer changes too early
  bool lends_ = false, is_pending_ = false;
};

}  // namespace samestep::libtorch
