// StartingStep: did the resumed run go on from the checkpoint at all?
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "resume_check/copies.h"
#include "resume_check/movement.h"

namespace samestep {

/// Where a resumed run began that did not begin at the captured step.
struct WrongStart {
  std::optional<std::int64_t>
      step;  ///< completed steps of the state that it has; absent: of no step that was logged
  std::string evidence;  ///< one sentence
};

/// Of the parameters and optimizer slots that moved in the uninterrupted leg none equals the
/// captured or the checkpointed value, and all that are known equal those of another step (or of
/// construction). Absent otherwise: one wrong field is a gap, not a wrong start.
std::optional<WrongStart> wrong_start(const std::vector<FieldFate>& fates, const Movement& movement,
                                      std::int64_t completed);

}  // namespace samestep
