// Ranks: which process of a world a leaf of a shared checkpoint belongs to, by the numbers in file
// names and keys.
#pragma once

#include <optional>
#include <string_view>

#include "checkpoint/naming/key_tree.h"

namespace samestep {

/// "step5/optimizer.pt" -> "optimizer".
std::string_view stem_of(std::string_view file);

/// "zero_pp_rank_1_mp_rank_00_optim_states.pt" -> 1, "rng_state_3.pth" -> 3, "dp_rank_0" -> 0,
/// "torch_1" -> 1, "rng_state/shard_0.1_1.2" -> 1 (row-major index of the shard); nothing where the
/// name tells no rank.
std::optional<int> rank_in_name(std::string_view name);

/// The rank that the nearest key above `node` (itself included) tells.
std::optional<int> rank_in_keys(const KeyNode& node);

/// The rank of `node`: of the nearest key that tells one, else of the file's name.
std::optional<int> rank_of(const KeyNode& node);

}  // namespace samestep
