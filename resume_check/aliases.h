// Aliases: parameters that are one tensor under two names (tied weights). Values cannot tell a lost
// tie; storage can.
#pragma once

#include <vector>

#include "checkpoint/state_tree.h"

namespace samestep {

/// Two parameters that share all their elements in one tree and not in the other.
struct AliasChange {
  FieldPath first, second;
  bool tied_before = false;  ///< in the captured state; the resumed run has two tensors
  bool tied_in_file =
      false;  ///< the checkpoint keeps them in one storage, or holds only one of the two
};

/// Only parameters whose storage is known on both sides take part, each changed tie once (each
/// further name of a tie against its first).
std::vector<AliasChange> alias_changes(const StateTree& captured, const StateTree& restored,
                                       const StateTree& checkpoint);

}  // namespace samestep
