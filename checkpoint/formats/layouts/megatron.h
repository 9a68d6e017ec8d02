// Megatron: Megatron-core `torch_dist` (`iter_<n>/` of DCP shards and common.pt), its tracker file,
// and the older `mp_rank_<n>/model_optim_rng.pt`.
#pragma once

#include <string>

#include "checkpoint/folder.h"
#include "checkpoint/formats/document.h"

namespace samestep {

/// True when `at` holds latest_checkpointed_iteration.txt, or metadata.json that names a sharded
/// back end.
bool is_megatron(const Folder& folder, const std::string& at);

/// The iteration that the tracker names, or `at` itself. A tracker that names an iteration which is
/// not there, a missing common.pt, and an iteration in common.pt other than the folder's are
/// problems.
Document read_megatron(const Folder& folder, const std::string& at);

}  // namespace samestep
