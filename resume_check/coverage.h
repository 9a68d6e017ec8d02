// Coverage: what a verdict rests on, and what it does not.
#pragma once

#include <vector>

#include "capture/run_reader.h"
#include "resume_check/copies.h"
#include "schemas/report.h"

namespace samestep {

/// Adds the fields of one rank: compared, equal, by component, and those that could not be
/// compared.
void cover_fields(const std::vector<FieldFate>& fates, Coverage& coverage);

/// State that the recorder came upon in either leg and left out, being too large: each once, in
/// order of path, with why; a long list ends in a count.
void cover_left_out(const std::vector<RankRecord>& uninterrupted,
                    const std::vector<RankRecord>& resumed, Coverage& coverage);

/// Entries of the checkpoint that no rank saw live, as "path" texts, sorted. Alignments are of the
/// same checkpoint.
std::vector<std::string> unwatched_by_all(const std::vector<Alignment>& ranks);

}  // namespace samestep
