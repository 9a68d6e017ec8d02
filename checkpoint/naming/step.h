// Step: how many optimizer steps a checkpoint says were completed when it was taken.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "checkpoint/state_tree.h"

namespace samestep {

struct CheckpointStep {
  std::int64_t step = 0;
  std::string source;  ///< which field said so, as text ("loop/global_step",
                       ///< "optimizer/state/*/step (8 counters)")
};

/// From the checkpoint's own counters: the loop's (global_step, iteration, step, ...) and the first
/// optimizer's per-parameter ones (their mode). Where the loop's is a multiple of the optimizer's
/// it counts micro-batches, where it is far from it it counts something else (steps within the
/// epoch): then the optimizer's is taken; where they differ a little (a torn or mixed checkpoint)
/// the loop's. Never from an epoch alone. Nothing where no counter says.
std::optional<CheckpointStep> checkpoint_step(const StateTree& tree);

/// The most frequent value of the step counters of one optimizer ("optimizer", "optimizer.1") and
/// how many there are; nothing where it keeps none.
struct OptimizerSteps {
  std::int64_t mode = 0, lowest = 0, highest = 0;
  std::size_t counters = 0;
  std::string lowest_path, highest_path;
};
std::optional<OptimizerSteps> optimizer_steps(const StateTree& tree, const std::string& component);

}  // namespace samestep
