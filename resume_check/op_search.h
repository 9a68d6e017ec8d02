// Op search: two legs run again as far as the step at which they part, its operators traced.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "resume_check/leg.h"
#include "schemas/report.h"

namespace samestep {

/// What the search starts from. References must outlive the use.
struct OpQuestion {
  const std::optional<DivergenceReport>& divergence;
  const std::vector<RankRecord>& uninterrupted;  ///< as first recorded
  const std::vector<RankRecord>& resumed;
  const std::vector<std::set<std::string>>& stable;  ///< by rank, of Examination
  std::int64_t at = 0;
};

struct OpSearch {
  std::optional<OperatorReport> found;
  /// Why nothing, or not all, was looked at.
  std::vector<std::pair<std::string, std::string>> not_compared;
};

/// Runs a leg of that name under this plan, whose `at`, `steps` and `operators_at` are set.
using RunLeg = std::function<LegOutcome(const std::string& name, const Plan& plan)>;

/// The number of the step whose operators hold the difference: what is seen at a begin came about
/// in the step before it.
std::int64_t step_to_trace(const DivergenceReport& divergence);

/// First the resumed leg, then the uninterrupted one: where the first cannot be traced the longer
/// one is spared. A leg that fails is told in not_compared; Error is thrown only when cancelled.
OpSearch search_operators(const OpQuestion& question, const RunLeg& resumed,
                          const RunLeg& uninterrupted);

}  // namespace samestep
