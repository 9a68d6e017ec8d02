// One full document of each kind, for round trips and for tables of bad edits.
#pragma once

#include "schemas/capture.h"

namespace samestep {

/// Two fields (a counter and a moment), one kept blob of two chunks, a contract; rank 1 of 2.
CaptureRank sample_capture();

}  // namespace samestep
