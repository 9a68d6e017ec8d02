// Compare: two StateTrees, field by field (diff), and a capture against a checkpoint (gate).
#pragma once

#include "capture/run_reader.h"
#include "checkpoint/checkpoint.h"
#include "schemas/report.h"

namespace samestep {

/// Same path, dtype, shape and bytes. Fields of one side only, and differing ones, become findings
/// (kind divergence for differing bytes with Difference filled, gap extra/missing for one-sided).
/// Representation drift (step as int or 0-d tensor of equal value) is a warning. Layout (strides,
/// aliasing, dict order) is a note, never a difference.
Report diff_trees(const StateTree& source, const StateTree& target);

/// Does what is on disk hold all the live durable state, bit for bit? Fates with R absent from the
/// question: a finding for each captured field that the checkpoint lacks or holds with other bytes.
Report gate(const std::vector<RankRecord>& capture, const Checkpoint& checkpoint);

}  // namespace samestep
