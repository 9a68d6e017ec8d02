// StepBoundaries: what a step of a trainer leaves at its boundaries, under the names of traces.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <utility>
#include <vector>

#include "checkpoint/state_tree.h"

namespace samestep::libtorch {

using PhaseDigests = std::vector<std::pair<std::string, Digest>>;

/// The field `dataloader/next_batch`: the digest of the tensors that go into the next step.
StateEntry next_batch_entry(at::ArrayRef<at::Tensor> batch);

/// "grad:w" of `gradients/w`, "grad:model.1.w" of `gradients.1/w`.
std::string gradient_phase(const FieldPath& gradient);
/// Of the gradients in `now`. Both compute digests from the bytes.
PhaseDigests gradient_phases(const StateTree& now);
/// What an optimizer's step changes: "optimizer:model/w" of each parameter, then
/// "optimizer:optimizer/state/w/exp_avg" of each slot.
PhaseDigests optimizer_phases(const StateTree& now);

}  // namespace samestep::libtorch
