// What a prune did, as text for a person and as a prune.v1 document.
#pragma once

#include <string>

#include "capture/prune.h"

namespace samestep {

std::string prune_text(const PruneOutcome& outcome, bool dry_run);
std::string prune_json(const PruneOutcome& outcome, const std::string& run, bool dry_run);

}  // namespace samestep
