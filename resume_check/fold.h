// Fold: one cause that is met under many names is one finding.
#pragma once

#include <vector>

#include "resume_check/copies.h"
#include "resume_check/findings.h"

namespace samestep {

/// Undeclared state (attributes, variables) that one value is met in under several names: the
/// heaviest and nearest name stays, its evidence tells the others. Only values that are hardly
/// equal by accident are taken for one, and only with the same fate.
void fold_names(std::vector<WeighedFinding>& gaps, const std::vector<FieldFate>& fates);

/// Items of one list (entries of a replay memory, lines of a history): where there are many, one
/// finding for the list, with the fate of most of them.
void fold_items(std::vector<WeighedFinding>& gaps, const std::vector<FieldFate>& fates);

}  // namespace samestep
