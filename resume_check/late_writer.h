// LateWriter: of which step is a checkpoint that appeared after some step? An asynchronous writer
// may finish steps later.
#pragma once

#include <cstdint>
#include <optional>

#include "capture/run_reader.h"
#include "checkpoint/checkpoint.h"

namespace samestep {

/// The step at which the legs are to be aligned when that is not the one of the capture; absent: it
/// is, or nothing tells. What the file holds is told from the log's digests of the parameters;
/// where it holds those of the capture, it is not late. Else its own step counts, when it is an
/// earlier one, and then the step of which it holds most parameters. The checkpoint's tree has
/// digests.
std::optional<std::int64_t> step_of_late_writer(const RankRecord& rank,
                                                const Checkpoint& checkpoint);

/// The step that a checkpoint is of when --at named another one by mistake: the file's own count of
/// the loop says so, and most of its parameters are of that moment, none of the captured one. A
/// slot of an optimizer is no such count: a writer that keeps references has it move on with the
/// rest. Of a moment that was not logged the optimizer's counters must say the same, and no
/// parameter be of one that was. Absent: no such mistake.
std::optional<std::int64_t> step_beside_asked(const RankRecord& rank, const Checkpoint& checkpoint);

/// Where a loss scaler skipped steps and the trainer does not count those: the step, skipped ones
/// counted, after which the checkpoint of the trainer's own step `asked` was saved. Absent: none
/// was skipped before it, or a save was made at `asked` itself.
std::optional<std::int64_t> step_with_skipped(const StepLog& log, std::int64_t asked);

}  // namespace samestep
