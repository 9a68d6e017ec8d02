// WeighSaved: may a resumed run do without a field that a checkpoint lacks, or holds otherwise?
// Told from the capture, the checkpoint and the log of the run; the fate in a resumed run is not
// known.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "resume_check/copies.h"
#include "resume_check/movement.h"

namespace samestep {

struct SavedFacts {
  bool logged = false;   ///< the run's log has more than one boundary
  bool moved = false;    ///< between two of them
  bool as_made = false;  ///< equals the value at the first begin of a run from its start
  bool drawn = true;     ///< of a random stream: somebody drew from it, as far as is known
  bool goes_on = false;  ///< of a private one: the log shows it drawn from without a new seed
  bool is_step = false;  ///< a number that equals the checkpoint's own step
  bool counts_begun =
      false;  ///< one more than the completed steps, of which the file has the number
};

/// `fates` are of the whole rank: the fields of a stream are drawn from together.
SavedFacts saved_facts_of(const FieldFate& fate, const std::vector<FieldFate>& fates,
                          const Movement& movement, const RankRecord& rank,
                          std::optional<std::int64_t> checkpoint_step);

struct SavedWeight {
  bool needed = false;  ///< the checkpoint is refused for it
  std::string reason;   ///< why not, one sentence; empty when it is needed
  std::string mark;     ///< "unused", "frame", "constant" or empty
};

/// Of a field that is missing or miswritten. Needed: moved state of models, optimizers, schedules,
/// scalers and averages, streams that were drawn from, gradients of an open window. Not needed:
/// what any construction gives, what is evidence only, and what a trainer usually derives anew
/// (private generators that are seeded for each epoch, positions inside a loader).
SavedWeight weigh_saved(const FieldFate& fate, const SavedFacts& facts);

}  // namespace samestep
