// Findings: from the fates of a rank to what a report says about them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "resume_check/divergence.h"
#include "resume_check/evidence.h"
#include "resume_check/grade.h"

namespace samestep {

/// A finding with the weight that it still needs to be graded.
struct WeighedFinding {
  Finding finding;
  Weight weight = Weight::confirmed;
  bool from_forward = false;  ///< a batch known only from what a module received
};

struct GapSearch {
  std::vector<WeighedFinding> gaps;
  std::set<std::string>
      differing;  ///< paths of all fields that are not equal at the begin, also hidden ones
  std::map<std::string, std::uint64_t> ignored;  ///< rule -> fields that it hid
};

/// What the legs tell beside the records of one rank.
struct LegFacts {
  const Movement& uninterrupted;
  const Movement& resumed;
  std::set<std::string> unstable;  ///< paths that differ between two resumed legs
};

/// Findings for fates other than kept and rederived, weighed and with evidence; lost and gained
/// ties of parameters.
GapSearch find_gaps(const std::vector<FieldFate>& fates, const Witnesses& witnesses,
                    const LegFacts& legs, const StateTree& checkpoint);

/// Gives each gap its grade, now that the steps have been compared: promotes what needs an effect,
/// marks latent what has none, folds batches that a wrong stream explains. `last_resort`: nothing
/// heavier explains why the steps part. Sorted as sort_findings does.
std::vector<Finding> graded(std::vector<WeighedFinding> gaps, const StepsComparison& steps,
                            bool last_resort);

/// Order of a report: confirmed first, then causal order, path, rank.
void sort_findings(std::vector<Finding>& findings);

/// A side of a finding from an entry; `source` names file and keys of a filed one.
Side side_of(const StateEntry* entry);
/// Of the checkpoint.
Side side_of(const std::optional<Match>& match);

}  // namespace samestep
