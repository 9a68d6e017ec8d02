// Streams: random streams of the three copies held against each other. A file that holds a stream
// as it was at the save is right, also where the run drew from it before the next step began.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "resume_check/copies.h"

namespace samestep {

/// By stream, those of `fates` that differ anywhere. `log` is of the uninterrupted leg: its "save"
/// events tell the streams' digests on both sides of a write after `completed` steps.
std::map<std::string, StreamLook> look_at_streams(const std::vector<FieldFate>& fates,
                                                  const StepLog& log, std::int64_t completed);

/// True when the stream that these fields of one side make up was seeded and not drawn from since;
/// false when it was; absent where its state does not tell.
std::optional<bool> just_seeded(const std::vector<const StateEntry*>& fields);

/// True when a stream of PyTorch's CPU kind has the digest `later` after some thousand draws or
/// less: one generator that goes on, not one that is seeded anew.
bool goes_on_to(const StateEntry& stream, const Digest& later);

}  // namespace samestep
