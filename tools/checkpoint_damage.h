// CheckpointDamage: what is wrong with the bytes of a checkpoint, as findings of a report.
#pragma once

#include <string>
#include <vector>

#include "checkpoint/verify.h"
#include "schemas/report.h"

namespace samestep {

/// A confirmed breach about `where`: a field, a record or a file. `mark`: damaged, incomplete,
/// inconsistent, missing or unreadable. Its component is the first part of `where`.
Finding damage_finding(const std::string& where, const char* mark, const std::string& message);

/// What verify_checkpoint() finds, in its order, read by as many threads as the machine has (16 at
/// most; `options.threads` is not looked at).
std::vector<Finding> checkpoint_damage(const Checkpoint& checkpoint, VerifyOptions options = {},
                                       VerifyFigures* figures = nullptr);

}  // namespace samestep
