// Coverage: what a verdict rests on, and what it does not.
#pragma once

#include "resume_check/copies.h"
#include "schemas/report.h"

namespace samestep {

/// Adds the fields of one rank: compared, equal, by component, and those that could not be
/// compared.
void cover_fields(const std::vector<FieldFate>& fates, Coverage& coverage);

/// Entries of the checkpoint that no rank saw live, as "path" texts, sorted. Alignments are of the
/// same checkpoint.
std::vector<std::string> unwatched_by_all(const std::vector<Alignment>& ranks);

}  // namespace samestep
