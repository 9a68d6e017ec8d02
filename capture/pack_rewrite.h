// rewrite_pack: what is needed of a pack, copied into a new one.
#pragma once

#include <string>
#include <vector>

#include "capture/captures_survey.h"

namespace samestep {

/// Copies all blobs of `pack` (a name relative to the captures folder) that `manifests` name into a
/// new pack beside the first manifest that does, byte for byte, and makes `manifests` name that
/// one, in memory; nothing on disk is changed. Each blob is checked against its digest before.
/// Throws Error{corrupt} for one that is damaged, Error{failed} when the new pack cannot be
/// written; then `manifests` are as they were, and nothing is left.
void rewrite_pack(const RunFolder& run, const std::string& pack,
                  std::vector<ReadManifest>& manifests);

}  // namespace samestep
