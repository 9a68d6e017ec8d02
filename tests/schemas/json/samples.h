// One full document of each kind, for round trips and for tables of bad edits.
#pragma once

#include "schemas/capture.h"
#include "schemas/inspection.h"
#include "schemas/report.h"

namespace samestep {

/// Two fields (a counter and a moment), one kept blob of two chunks, a contract; rank 1 of 2.
CaptureRank sample_capture();
/// One gap with every part filled, one bare divergence; a cause, coverage, two legs.
Report sample_report();
/// A tensor with both digests, values of each kind, an opaque object.
Inspection sample_inspection();

}  // namespace samestep
