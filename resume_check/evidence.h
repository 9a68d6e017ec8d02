// Evidence: what a wrong value is, by looking up where else it has been seen.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "resume_check/copies.h"
#include "resume_check/movement.h"

namespace samestep {

/// All that a rank's evidence is looked up in. References must outlive it.
struct Witnesses {
  const RankRecord& uninterrupted;
  const RankRecord& resumed;
  const Movement& movement;              ///< of the uninterrupted leg
  const std::vector<RankRecord>& ranks;  ///< of the uninterrupted leg, all of them
  std::int64_t completed = 0;            ///< steps at the capture
  /// Distinctive captured values -> their paths.
  std::unordered_multimap<Digest, FieldPath, DigestHash> captured_values;
};

Witnesses witnesses_of(const RankRecord& uninterrupted, const RankRecord& resumed,
                       const Movement& movement, const std::vector<RankRecord>& ranks);

struct Evidence {
  std::vector<std::string> sentences;  ///< most telling first
  std::vector<std::string> marks;      ///< one word each, unique
  /// The step of the log whose value the checkpoint holds instead; absent: none, or the checkpoint
  /// is right.
  std::optional<std::int64_t> file_step;
};

/// Evidence for a fate other than kept and rederived; reset, stale, cast, permuted, other rank,
/// advanced streams.
Evidence evidence_of(const FieldFate& fate, const Witnesses& witnesses);

/// "... advanced 2 draws since the save": of a stream that the file holds as it was then.
std::string since_save(const StreamLook& look);

/// Draws of one int64 that lead from the stream `from` to the stream `to` (1 or 2); 0: neither, or
/// no such streams.
int draws_between(const StateEntry& from, const StateEntry& to);

}  // namespace samestep
