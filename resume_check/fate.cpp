#include "resume_check/fate.h"

#include "schemas/check.h"

namespace samestep {

Fate fate_of(const Copies& copies) {
  const auto& [captured, checkpointed, restored, loaded] = copies;
  SAMESTEP_CHECK(captured || checkpointed || restored);
  if (!captured) return restored ? Fate::extra : Fate::unwatched;
  const bool right = restored == captured;
  if (!checkpointed) return right ? Fate::rederived : Fate::missing;
  if (checkpointed != captured) return right ? Fate::healed : Fate::miswritten;
  if (right) return Fate::kept;
  if (!restored) return Fate::dropped;
  if (!loaded) return Fate::lost_after_save;
  return loaded == captured ? Fate::overwritten : Fate::not_applied;
}

}  // namespace samestep
