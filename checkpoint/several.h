// Several: is a folder one checkpoint, or the place where a run keeps many?
#pragma once

#include <string>

namespace samestep {

/// Throws Error{usage} when the folder at `path`, or a folder in it, holds several checkpoints of
/// the same state (checkpoint-10 and checkpoint-20, step-2.pt and step-4.pt, best.pt and last.pt):
/// its message lists them and says which path to give. Files and folders count as several
/// checkpoints when they hold tensors under the same keys and their names or step counters tell
/// moments apart; shards, ranks and components (model.pt beside ema.pt) do not. A folder whose
/// layout or tracker file says what belongs together is one checkpoint, and so is a file. Does
/// nothing for what cannot be read: opening it says why.
void refuse_several_checkpoints(const std::string& path);

}  // namespace samestep
