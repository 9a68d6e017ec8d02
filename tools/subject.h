// Subject: what a path on the command line holds: a capture of ours, or somebody's checkpoint.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "capture/run_reader.h"
#include "checkpoint/checkpoint.h"
#include "schemas/inspection.h"

namespace samestep {

using Subject = std::variant<std::vector<RankRecord>, Checkpoint>;

/// Throws Error{not_found} when there is nothing at `path`, and what the readers throw.
Subject open_subject(const std::string& path);

/// Throws Error{usage} for a folder or file of a run's record that is no capture by itself (a pack,
/// a log, the folder of all captures): JSON and folders in it would pass for a checkpoint.
void refuse_part_of_run(const std::string& path);

/// Throws Error{usage} for an audit's --work, which holds several runs and checkpoints.
void refuse_work_folder(const std::string& path);

/// Which digests an inspection computes. XXH3 digests that a capture holds already are taken from
/// it.
struct DigestChoice {
  bool xxh3 = false, sha256 = false;
};

/// Everything that `samestep inspect` tells about it.
Inspection inspect_subject(const std::string& path, const Subject& subject,
                           const DigestChoice& digests);

}  // namespace samestep
