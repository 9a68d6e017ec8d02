// Schedule: what a plan asks for at each boundary. Pure: no files, no clock.
#pragma once

#include <cstdint>
#include <optional>

#include "capture/session.h"
#include "schemas/plan.h"

namespace samestep {

/// What the session knows at a boundary. `completed` counts from the start of training.
struct Moment {
  std::int64_t completed = 0;
  bool window_open = false;       ///< a forward of the same accumulation window, after a save call
  bool checkpoint_there = false;  ///< something matches the plan's glob
  bool may_stop = true;           ///< no copy is asked for, or it has been made
};

/// Full at the step of the capture (again when a save comes inside its window), a digest at every
/// other begin up to the last boundary (`at + steps` completed), trace between the two, stop at or
/// after the last boundary once captured and copied. A leg "bare" records nothing, `final_only` the
/// last boundary alone; both count from `at`, or from `start`. A capture that was missed (its begin
/// never came) stops the leg at the last boundary all the same.
class Schedule {
 public:
  explicit Schedule(const Plan& plan);

  Decision begin(const Moment& moment);
  Decision end(const Moment& moment);
  Decision exit(const Moment& moment);

  /// Step of the capture, once it is known.
  std::optional<std::int64_t> at() const noexcept { return at_; }
  /// The last boundary has been reached.
  bool is_last(std::int64_t completed) const noexcept {
    return at_ && completed >= *at_ + plan_.steps;
  }
  bool captured() const noexcept { return captured_; }

 private:
  bool records_nothing() const { return plan_.leg == "bare"; }
  bool may_stop(const Moment& moment) const;
  Decision::Record record_at(const Moment& moment);

  Plan plan_;
  std::optional<std::int64_t> at_;
  bool captured_ = false;
  bool last_recorded_ = false;
};

}  // namespace samestep
