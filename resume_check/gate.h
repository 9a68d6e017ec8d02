// Gate: does a checkpoint hold what the live state needs? Known are a capture and the checkpoint,
// and where the capture lies in a run, that run's log; there is no resumed leg.
#pragma once

#include <vector>

#include "capture/run_reader.h"
#include "checkpoint/checkpoint.h"
#include "schemas/report.h"

namespace samestep {

/// The capture at `path` (as read_capture takes it), with the log of its run where that can be
/// read.
std::vector<RankRecord> read_for_gate(const std::string& path);

/// Verdict `diverged` (refused) when a field that a resumed run cannot do without is missing from
/// the checkpoint, or differs there; what a trainer may make anew by itself is a warning; see
/// weigh_saved. `undecided` when there was nothing to compare.
Report gate(const std::vector<RankRecord>& capture, const Checkpoint& checkpoint);

}  // namespace samestep
