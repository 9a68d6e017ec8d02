// diff_subjects: two paths of the command line, compared rank by rank.
#pragma once

#include <cstdint>
#include <string>

#include "resume_check/compare.h"
#include "schemas/report.h"

namespace samestep {

/// Which fields of two captures count: those that an audit counts (diff_records), or all of them.
enum class Counting : std::uint8_t { as_audit, exact };

/// Ranks of two captures are compared with each other; a checkpoint is compared with the first rank
/// of a capture, exactly, and the report says which ranks had no partner. Throws Error.
Report diff_subjects(const std::string& source_path, const std::string& target_path,
                     EqualBy by = EqualBy::xxh3, Counting counting = Counting::as_audit);

/// Two torch.save files by the checksums that they hold: milliseconds, and a hint. Throws Error.
Report quick_diff_subjects(const std::string& source_path, const std::string& target_path);

}  // namespace samestep
