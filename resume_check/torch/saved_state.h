// SavedState: what the checkpoint of a twin holds, as far as samestep can read it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "checkpoint/state_tree.h"

namespace samestep::libtorch {

struct SavedState {
  StateTree tree;           ///< with digests
  bool is_assumed = false;  ///< nobody said what it holds: `tree` is the state of the save
  std::vector<std::pair<std::string, std::string>> notes;  ///< for Coverage::not_compared
};

/// Opens the checkpoint at `path`. Fields and components in `also_saved` are taken from `live`, the
/// state at the save, where the file does not show them. A file that is no checkpoint, without
/// `also_saved`, is taken to hold all of `live`.
SavedState saved_state(const std::string& path, const std::vector<std::string>& also_saved,
                       const StateTree& live);

}  // namespace samestep::libtorch
