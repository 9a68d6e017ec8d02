// Shards: what one rank holds of a tensor that a checkpoint keeps whole.
#pragma once

#include <cstdint>
#include <optional>

#include "checkpoint/state_tree.h"

namespace samestep {

/// True when `part` may be a shard of `whole`, by dtype and shape alone: a block of it (in no
/// dimension longer), or a run of its elements in row-major order (of one dimension). One without
/// elements may be one as well. False for whole tensors, single numbers, and bytes that were not
/// kept.
bool may_be_shard(const StateEntry& part, const StateEntry& whole) noexcept;

/// The byte of `whole` at which `part`, for which that holds, begins; nothing where its elements
/// are nowhere in it. Blocks are looked for where a tensor that is cut into equal ones has them
/// (the last one may be shorter), in one pass over `whole`, of which nothing is copied. Runs may
/// begin at any element; for them tensors above 4 GiB are left out. Throws what FieldBytes::stream
/// throws.
std::optional<std::uint64_t> place_in_whole(const StateEntry& part, const StateEntry& whole);

}  // namespace samestep
