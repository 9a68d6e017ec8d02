// Align: which entry of a checkpoint holds which captured field, whatever the checkpoint's own
// layout.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "checkpoint/state_tree.h"

namespace samestep {

/// What says that two entries are the same field. Earlier ones weigh more.
enum class Basis : std::uint8_t { path, place, bytes, slice, neighbours, value, name };

struct Match {
  const StateEntry* entry = nullptr;  ///< of the checkpoint
  Basis basis = Basis::path;
  bool equal = false;    ///< the same bytes, or the same value in another representation
  bool drifted = false;  ///< equal in value only
  std::optional<std::uint64_t> slice_byte;  ///< of a part of `entry`: where in it that begins
};

struct Alignment {
  std::vector<std::optional<Match>> matches;  ///< one for each captured entry, in its order
  std::vector<const StateEntry*> unmatched;   ///< entries of the checkpoint that nobody saw live
};

/// `rank`: whose state was captured; of a file that keeps streams and shards of several ranks, its
/// own part is held against it, and of a tensor that it keeps whole the rank's shard. Both trees
/// need digests (compute_digests) and must outlive the result. Large distinctive tensors are
/// matched by path and place, then by bytes, then as slices of larger tensors; small fields by
/// path, by the neighbours of the large ones, by place, by equal value under a like name, by name.
/// An equal small number alone is never a match.
Alignment align(const StateTree& captured, const StateTree& checkpoint,
                std::optional<int> rank = std::nullopt);

}  // namespace samestep
