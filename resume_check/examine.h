// Examine: the records of two legs and the checkpoint between them, rank by rank, brought to
// findings.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "resume_check/divergence.h"
#include "resume_check/findings.h"
#include "resume_check/starting_step.h"
#include "resume_check/verdict.h"

namespace samestep {

/// What the legs left. References must outlive the use. The checkpoint's tree has digests
/// (compute_digests).
struct Trial {
  const std::vector<RankRecord>& uninterrupted;
  const StateTree& checkpoint;
  const std::vector<RankRecord>& resumed;
  std::int64_t at = 0;
  std::int64_t steps = 3;
};

struct Examination {
  std::vector<WeighedFinding> gaps;  ///< of all ranks
  std::vector<Finding> breaches;     ///< of the contract
  StepsComparison steps;             ///< of all ranks, the earliest divergence
  Coverage coverage;
  std::vector<std::set<std::string>>
      stable;  ///< by rank: paths of durable state that are equal at the begin
  std::optional<WrongStart> wrong_start;  ///< of the first rank that has one
};

/// Compares each rank with itself. `unstable`: paths that two resumed legs do not agree about.
/// SAMESTEP_CHECK: both legs have the same ranks, each with its capture.
Examination examine(const Trial& trial, const std::set<std::string>& unstable);

/// How a repeated leg compares with the leg that it repeats.
struct Repetition {
  bool compared = false;  ///< there was a boundary to compare
  std::vector<std::string>
      differences;  ///< names of what differs first, in causal order; empty: repeated exactly
  std::set<std::string> at_begin;  ///< paths that already differ at the begin (full records only)

  Repeat repeat() const noexcept {
    if (!compared) return Repeat::unknown;
    return differences.empty() ? Repeat::equal : Repeat::unstable;
  }
};

/// `stable` (by rank) says which fields are compared at the boundaries that follow the begin; full:
/// the repeated leg has a record of each boundary, else only of the last one.
Repetition repetition_of(const std::vector<RankRecord>& leg,
                         const std::vector<RankRecord>& repeated,
                         const std::vector<std::set<std::string>>& stable, std::int64_t at,
                         std::int64_t steps, bool full);

}  // namespace samestep
