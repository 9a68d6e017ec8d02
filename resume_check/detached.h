// Detached: an optimizer of one leg steps tensors that are no parameters of the model any more.
#pragma once

#include <vector>

#include "resume_check/copies.h"
#include "resume_check/findings.h"

namespace samestep {

/// The recorder says so in the field "<optimizer>/param_groups/<n>/params", declared "detached",
/// whose value is the number of such tensors; a leg without it has none.
bool is_detachment(const Field& field);

/// The finding for such a field, and nothing where both legs have it.
std::vector<WeighedFinding> detachments(const std::vector<FieldFate>& fates);

}  // namespace samestep
