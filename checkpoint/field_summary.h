// FieldSummary: what tells whether two captures hold the same fields (schemas/DIGEST.md, "The
// summary").
#pragma once

#include <span>

#include "schemas/capture.h"

namespace samestep {

/// Of `fields` in this order, each with a digest (SAMESTEP_CHECK).
CaptureSummary summary_of(std::span<const Field> fields);

}  // namespace samestep
