// Slices: tensors that a checkpoint keeps as parts of larger ones (flat vectors, whole tensors of a
// sharded one).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "checkpoint/state_tree.h"

namespace samestep {

struct Slice {
  const StateEntry* entry = nullptr;  ///< the larger tensor
  std::uint64_t byte = 0;             ///< where in its canonical bytes the smaller one begins
};

/// For each of `wanted` (distinctive tensors with bytes) the place of its bytes inside one of
/// `larger`, at an element boundary of that one's dtype and of equal dtype. Reads each of `larger`
/// once; tensors above 4 GiB are left out. Looks at cancel_requested().
std::map<const StateEntry*, Slice> find_slices(const std::vector<const StateEntry*>& wanted,
                                               const std::vector<const StateEntry*>& larger);

}  // namespace samestep
