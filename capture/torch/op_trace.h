// OpTrace: digests what each operator of a step reads and writes, in forward, backward and
// optimizer.
//
// A trace belongs to the thread that starts it and to those that autograd runs its backward in;
// threads that the trainer starts by itself are not looked at. It draws no random number, calls no
// operator for tensors on the host, and keeps no tensor: nothing that is computed changes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "capture/torch/op_trace_phase.h"

namespace samestep::libtorch {

/// One at a time in a process. Nothing is thrown out of any call; what went wrong is told in the
/// record.
class OpTrace {
 public:
  /// Begins in this thread. `after_backward`: what operators count as that follow a backward and
  /// that nobody else has named. Ends a trace that is under way.
  static void start(OpPhase after_backward) noexcept;
  /// Ends it; the record can then be taken. Called by the thread that started it.
  static void stop() noexcept;
  static bool is_on() noexcept;

  /// What this thread's operators are part of from now on, outside of a backward.
  static void enter_phase(OpPhase phase) noexcept;
  /// A module is called in this thread, and has returned.
  static void enter_module(std::string_view name) noexcept;
  static void leave_module() noexcept;

  /// While one lives this thread's operators are not seen: the recorder's own.
  class Pause {
   public:
    Pause() noexcept { pause(); }
    ~Pause() { resume(); }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;
  };
  static void pause() noexcept;
  static void resume() noexcept;

  /// The next part of the record of the last trace, a JSON object (capture/STEP_LOG.md,
  /// "operators"); empty when all was taken.
  static std::string take() noexcept;
};

}  // namespace samestep::libtorch
