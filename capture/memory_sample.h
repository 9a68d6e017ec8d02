// sample_of: a few elements of a tensor, to see that its memory was changed.
#pragma once

#include "checkpoint/field_bytes.h"
#include "schemas/digest.h"

namespace samestep {

/// Digest of at most 16 elements, spread evenly from the first to the last. What changes all
/// elements changes it; a change of a few elements of a large tensor is most likely not seen. Reads
/// the memory in place; a tensor without elements has the digest of nothing.
Digest sample_of(const TensorView& view);

}  // namespace samestep
