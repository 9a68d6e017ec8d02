// fate_of: the pure heart (DESIGN 2).
#pragma once

#include <optional>

#include "schemas/digest.h"
#include "schemas/fate.h"

namespace samestep {

/// Up to three copies of a field, and the optional look just after the load.
struct Copies {
  std::optional<Digest> captured, checkpointed, restored, loaded;
};

/// The fate of a field with these copies. At least one of the first three must be present
/// (SAMESTEP_CHECK). `loaded` splits lost_after_save into overwritten (equal to captured) and
/// not_applied (anything else).
Fate fate_of(const Copies& copies);

}  // namespace samestep
