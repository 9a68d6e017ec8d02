// Claims: which leaf belongs to which component. The first half of naming; the second writes the
// paths.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checkpoint/naming/key_tree.h"
#include "checkpoint/naming/vocabulary.h"

namespace samestep {

/// A leaf within its component. `parts` is its name there as the file has it: key texts below the
/// component's root, or, of random streams, their canonical name ("torch.cpu").
struct ClaimedLeaf {
  std::size_t leaf = 0;
  const KeyNode* node = nullptr;
  std::vector<std::string> parts;
  std::optional<int> rank;
};

/// One component: "optimizer" is number 0 of its kind, "optimizer.1" number 1, in order of
/// appearance.
struct ClaimedComponent {
  ComponentKind kind = ComponentKind::extra;
  int number = 0;
  std::vector<ClaimedLeaf> leaves;
  bool module_object =
      false;            ///< pickled modules: parts run through _modules, _parameters, _buffers
  bool nested = false;  ///< submodules are nested dicts: parts join with dots
};

/// Each leaf of the document exactly once. Recognises by content first and by names second; several
/// files' shards and ranks of one component become one component.
std::vector<ClaimedComponent> claim_components(const KeyTree& tree);

}  // namespace samestep
