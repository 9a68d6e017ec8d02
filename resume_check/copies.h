// FieldFate: the copies of one field of one rank brought together, and what they say.
#pragma once

#include <vector>

#include "capture/run_reader.h"
#include "resume_check/align.h"
#include "resume_check/fate.h"
#include "resume_check/stream_look.h"

namespace samestep {

struct FieldFate {
  FieldPath path;
  int rank = 0;
  const StateEntry* captured = nullptr;
  std::optional<Match> match;  ///< in the checkpoint
  const StateEntry* restored = nullptr;
  std::optional<Digest> loaded;  ///< seen just after a load call, the telling one
  Fate fate = Fate::kept;
  bool drifted = false;              ///< equal in value, in another representation
  std::optional<StreamLook> stream;  ///< of a random stream that differs anywhere (refine_fates)
  /// The file holds it as it was at the save; it moved before the next step began (refine_fates).
  bool as_saved = false;
  bool never_loaded = false;  ///< no load call was seen that could have brought it (refine_fates)

  /// The live field that describes it: captured, else restored.
  const Field& field() const { return captured ? captured->field : restored->field; }
};

/// Fates of all live fields of one rank, in the order of capture, then the extra ones. The records
/// and the alignment (of uninterrupted.tree) must outlive the result. Gradients that either leg
/// cleared before use are left out.
std::vector<FieldFate> fates_of(const RankRecord& uninterrupted, const Alignment& alignment,
                                const RankRecord& resumed);

/// The same value for a running trainer: equal bytes, or a single number in another representation.
/// A tensor in another dtype or shape is never the same.
bool equal_live(const StateEntry& captured, const StateEntry& restored);

}  // namespace samestep
