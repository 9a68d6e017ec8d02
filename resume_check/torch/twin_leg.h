// TwinLeg: one trainer of a twin, in random streams of its own.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "resume_check/torch/leg_recorder.h"
#include "resume_check/torch/leg_streams.h"
#include "resume_check/torch/twin.h"

namespace samestep::libtorch {

/// Everything that the trainer does, it does in here. Throws what the trainer throws.
class TwinLeg {
 public:
  /// Builds the trainer, in streams that came up with `seed`. Throws Error{usage} where its session
  /// obeys a plan.
  TwinLeg(const TwinFactory& factory, LegTask task, std::uint64_t seed);

  /// One step. Throws Error{usage} when the trainer ends none, or several.
  void step();
  void save(const std::string& path);
  void restore(const std::string& path);
  /// All that is watched, now.
  StateTree snapshot();

  const LegRecorder& recorder() const noexcept { return *recorder_; }
  LegReport report() const;

 private:
  void within(const std::function<void()>& work);
  StateTree streams() const;
  void put_back_streams();

  std::string name_;
  LegStreams streams_;
  TwinTrainer trainer_;
  std::unique_ptr<LegRecorder> recorder_;
  /// Of watched generators: two trainers may have one in common.
  std::optional<StateTree> watched_;
  std::chrono::steady_clock::duration spent_{};
  std::int64_t steps_ = 0;
};

}  // namespace samestep::libtorch
