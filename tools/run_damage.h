// RunDamage: what is wrong with the files of a capture and of the run around it, as text and as
// findings of a report.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "capture/record_check.h"
#include "schemas/report.h"

namespace samestep {

/// "is not there; lost with it: the bytes of 75 fields of capture 4 (a, b, c and 72 more); captures
/// 2 and 3 need it as well".
std::string pack_sentence(const PackTrouble& trouble);
/// One for each pack, about all fields that it takes with it.
Finding pack_finding(const PackTrouble& trouble, const std::string& path);

/// What check_packs(path, records) finds, one sentence for each pack; the fields in question lose
/// their bytes, as if only their digests had been kept, so that the rest can be looked at.
std::vector<std::string> forget_lost_bytes(const std::string& path,
                                           std::vector<RankRecord>& records);

/// What can be said of the logs of the run at `path`: findings about those that are damaged. What
/// a killed process leaves, and captures of the run that `records` are not of, go to
/// `coverage.not_compared`.
std::vector<Finding> run_damage(const std::string& path, const std::vector<RankRecord>& records,
                                Coverage& coverage);

}  // namespace samestep
