// Plan: what a recorder in a trainer process is to do (the JSON file that SAMESTEP_PLAN names,
// plan.v1).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schemas/store_policy.h"

namespace samestep {

inline constexpr const char* kPlanSchema = "plan.v1";

struct Plan {
  std::string
      leg;  ///< "uninterrupted", "resumed", "control", "bare" (count and stop only), or free text
  std::string run;  ///< absolute path of the run folder; `.samestep` is made inside it
  /// Completed optimizer steps when the process begins to train: 0 for a fresh run, `at` for a
  /// resumed one.
  std::int64_t start = 0;
  /// Take the full capture at the begin that follows this many completed steps; absent: at the
  /// first begin at which something matches `checkpoint` below `out`.
  std::optional<std::int64_t> at;
  std::int64_t steps = 3;  ///< steps to trace after the capture
  bool trace =
      true;  ///< digest the boundaries inside those steps (batch, forward, loss, grad, optimizer)
  bool log_begins = true;   ///< digest all fields at every begin (step log)
  bool final_only = false;  ///< record nothing but the state at the last boundary (a control leg)
  std::string out;          ///< absolute path of the leg's output folder; empty: none
  std::string checkpoint;   ///< glob, relative to `out`; empty: none expected
  /// Absolute path: copy `out` to it once the checkpoint is whole. Empty: do not.
  std::string copy_to;
  bool background = false;  ///< write the full capture beside the step that follows it
  bool stop = true;  ///< end the process after `at + steps` completed steps (and after the copy,
                     ///< where one is asked)
  /// Trace the operators of the step that follows this many completed steps; absent: of none.
  std::optional<std::int64_t> operators_at;
  /// Names of the optimizers that step in this training, where an earlier leg has told; empty: not
  /// known.
  std::vector<std::string> stepping;
  StorePolicy store = StorePolicy::planes;  ///< of full captures
};

}  // namespace samestep
