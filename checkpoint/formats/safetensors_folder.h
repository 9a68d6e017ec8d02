// safetensors_folder: several safetensors files of one folder: shards with an index, and DCP's
// sharded tensors.
#pragma once

#include <string>
#include <vector>

#include "checkpoint/folder.h"
#include "checkpoint/formats/safetensors.h"

namespace samestep {

/// Appends the files' leaves to `document`. Every `*.index.json` of folder `at` is checked: a shard
/// or a tensor that is named and not there is a problem, a shard outside the folder an
/// Error{corrupt}. Where files say (DCP_SHARDING_INFO) that their tensors are blocks of larger
/// ones, these are added, assembled; the blocks stay as they are in the files.
void add_safetensors(const Folder& folder, const std::string& at, std::vector<Safetensors>& files,
                     Document& document);

}  // namespace samestep
