// DiffRecords: two captures of one rank, field by field, with the measure of an audit.
#pragma once

#include <cstdint>

#include "capture/run_reader.h"
#include "resume_check/compare.h"
#include "schemas/report.h"

namespace samestep {

struct RecordsDiff {
  Report report;
  /// Fields that differ and that an audit does not count: warnings of the report, and what is
  /// counted in coverage.ignored.
  std::uint64_t uncounted = 0;
};

/// diff_trees() of two captures, the first taken for the uninterrupted leg of an audit and the
/// second for the resumed one: what the ignore list hides is counted in coverage.ignored, and what
/// an audit would only warn of is a warning. Where a record has no log (of one boundary or less),
/// nothing is known of what moved: then only the ignore list, and variables of the training loop,
/// are no differences. What only the second has of parameters, buffers and a state_dict counts.
/// SAMESTEP_CHECK: both have a capture, of the same rank.
RecordsDiff diff_records(const RankRecord& source, const RankRecord& target,
                         EqualBy by = EqualBy::xxh3);

}  // namespace samestep
