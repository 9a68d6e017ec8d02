// Compare: two StateTrees, field by field (diff).
#pragma once

#include <string>

#include "checkpoint/state_tree.h"
#include "schemas/report.h"

namespace samestep {

/// Same path, dtype, shape and bytes. Fields of one side only, and differing ones, become findings
/// (kind divergence for differing bytes with Difference filled, gap extra/missing for one-sided).
/// Representation drift (step as int or 0-d tensor of equal value) is a warning. Layout (strides,
/// aliasing, dict order) is a note, never a difference.
Report diff_trees(const StateTree& source, const StateTree& target);

/// What is said of no confirmed finding, of one ("1 field <one>"), and of several ("2 fields
/// <many>").
struct Conclusions {
  std::string same, one, many;
};

/// Sorts the findings and sets verdict and reason: `diverged` when any is confirmed, `undecided`
/// when nothing was compared, else `same`.
void conclude(Report& report, const Conclusions& texts);

}  // namespace samestep
