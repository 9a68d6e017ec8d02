// Partings: where two legs differ although one of them has been put right before.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "resume_check/torch/leg_recorder.h"
#include "resume_check/torch/twin.h"

namespace samestep::libtorch {

/// The steps of both legs from the begin that follows `at` steps on. Per step: the first difference
/// of each step. Lock step: one of each kind of boundary (begin, batch, each forward, loss,
/// gradients, optimizer, end); where the batch differs, forward to gradients follow from it and are
/// left out, for a batch cannot be put back: it may be the data set's own memory. `fields`: paths
/// of the state that is compared.
std::vector<Parting> partings_of(const StepRecords& source, const StepRecords& target,
                                 const std::set<std::string>& fields, std::int64_t at,
                                 TwinMode mode);

}  // namespace samestep::libtorch
