// Digests: computed where a tree came without them, and whether equal digests are evidence at all.
#pragma once

#include "checkpoint/state_tree.h"

namespace samestep {

/// Gives each tensor and value entry of `tree` a digest, from its bytes. Entries without bytes keep
/// what they have. Work is spread over threads by bytes (checkpoint/hasher_batch.h). Looks at
/// cancel_requested() once a GiB. Throws what FieldBytes::stream throws.
void compute_digests(StateTree& tree);

/// True when two fields of these bytes are hardly equal by accident: at least 16 bytes, not one
/// element repeated, and not a short count such as 0, 1, 2, ... False when the bytes were not kept
/// and the field is short.
bool is_distinctive(const StateEntry& entry);

}  // namespace samestep
