// QuickDiff: two torch.save files compared by the checksums that they hold of their records. A
// hint: no tensor is read.
#pragma once

#include "checkpoint/formats/record_sums.h"
#include "schemas/report.h"

namespace samestep {

/// Findings as of diff_trees, without a place inside the tensors: a tensor differs when its dtype,
/// shape or strides do, or the length or checksum of its record. Equal checksums are counted as
/// equal; that nothing was read is said in coverage.not_compared and in the reason. `undecided`
/// when a tensor has no checksum on both sides and none differs.
Report quick_diff(const RecordSums& source, const RecordSums& target);

}  // namespace samestep
