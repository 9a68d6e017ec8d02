// PartPairs: of several models, optimizers or schedulers, which part of a file is which?
#pragma once

#include <string>
#include <unordered_map>

#include "checkpoint/state_tree.h"

namespace samestep {

/// A live trainer's "model.1" and a file's are numbered by the order in which each was met: where
/// there are several of a kind, content tells them apart. From the component of a live part
/// ("model.1") to the path of the file's part that holds most of its values under the same last
/// names ("model", "extra/generator"); no two get the same one, and the part of its own name wins
/// a tie. Kinds of which there is one are left out, and so are parts of which the file holds
/// nothing. Both trees need digests.
std::unordered_map<std::string, std::string> pair_parts(const StateTree& captured,
                                                        const StateTree& checkpoint);

}  // namespace samestep
