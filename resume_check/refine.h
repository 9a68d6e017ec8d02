// RefineFates: what the table of fates cannot tell from three copies alone (DESIGN 2), told from
// the records beside them.
#pragma once

#include <vector>

#include "resume_check/copies.h"
#include "resume_check/movement.h"

namespace samestep {

/// - A file that holds a random stream as it was at the save is right: such a stream is kept,
///   overwritten, not_applied or dropped as if the file held the captured one. It stays miswritten
///   where the resumed run goes on from exactly that: the run drew between the save and the step,
///   and the resumed run does not.
/// - A stream that the file holds, and that went on from there in the resumed run, is overwritten.
/// - So it is with a cursor that moves when a batch is fetched: `as_saved`, judged as such a
/// stream.
/// - Undeclared state that is in the file, and has the value of a new run, is not_applied.
/// - A component of which nothing in the file reached the live object, and which no load call is
///   seen for while others are, is not_applied, not dropped or lost_after_save.
/// Sets `stream`, `as_saved` and `never_loaded`.
void refine_fates(std::vector<FieldFate>& fates, const RankRecord& uninterrupted,
                  const RankRecord& resumed, const Movement& movement);

}  // namespace samestep
