// Dcp: a torch.distributed.checkpoint folder: `.metadata` and the shards that it names.
#pragma once

#include <string>

#include "checkpoint/folder.h"
#include "checkpoint/formats/document.h"

namespace samestep {

/// True when `at` ("" or a folder inside) holds `.metadata`, or what an interrupted save left
/// (`.metadata.tmp`, shards).
bool is_dcp(const Folder& folder, const std::string& at);

/// One leaf a tensor, assembled over its chunks when it is streamed, and the leaves of each object;
/// keys are the nesting that the writer recorded, source.file is `.metadata`. Missing shards, holes
/// and records that their own zip contradicts become problems; the leaf stays, and its bytes throw.
/// Throws Error{corrupt} for an index that contradicts itself (overlapping chunks or records,
/// negative or implausible extents) or that leaves the folder.
Document read_dcp(const Folder& folder, const std::string& at);

/// read_dcp, and by read_union what trainers put beside it (Lightning's meta.pt, a trainer's own
/// counters).
Document read_dcp_folder(const Folder& folder, const std::string& at);

}  // namespace samestep
