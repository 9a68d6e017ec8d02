// Fold: findings that say the same of many fields become one group, so that one fault is one
// paragraph.
#pragma once

#include <string>
#include <vector>

#include "schemas/report.h"

namespace samestep {

struct FindingGroup {
  std::string name;  ///< the field, or a pattern over all of them ("optimizer/state/*/step")
  std::vector<const Finding*>
      findings;            ///< in the order of the report; the first one stands for all
  std::vector<int> ranks;  ///< sorted
  std::size_t fields = 0;  ///< distinct ones
};

/// Groups in the order of their first finding. Two findings are folded when they have kind, grade,
/// fate, component, role and marks in common, and either the same field on other ranks, the same
/// slot of another parameter, the same attribute of another module, another part of the same random
/// stream, or any other parameter, buffer, gradient or average. `apart`: only ranks are folded.
std::vector<FindingGroup> fold(const std::vector<Finding>& findings, bool apart);

/// Paths with three or more of one parent as "parent/*  (19 fields)", in the order of their first.
std::vector<std::string> fold_siblings(const std::vector<std::string>& paths);
/// "rank 3", "ranks 0-3, 7".
std::string ranks_text(const std::vector<int>& ranks);

}  // namespace samestep
