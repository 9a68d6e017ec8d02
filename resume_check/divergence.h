// Divergence: the first boundary at which two legs part, and what was the same before it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "capture/run_reader.h"
#include "schemas/report.h"

namespace samestep {

struct StepsComparison {
  std::int64_t steps = 0;        ///< whole steps whose boundaries both legs recorded
  std::uint64_t boundaries = 0;  ///< fields and traces compared
  std::optional<DivergenceReport> divergence;
  bool batches_differ = false;  ///< a batch of the compared steps
  bool moved = false;           ///< parameters moved in the first leg during them
  std::vector<std::pair<std::string, std::string>> not_compared;
};

struct StepsQuestion {
  int rank = 0;
  std::int64_t at = 0;  ///< completed steps at the begin from which both legs are compared
  std::int64_t steps = 3;
  std::set<std::string> fields;  ///< paths of state to compare at the begins that follow
  bool from_state = false;       ///< also compare the state at that begin itself
  /// Paths that differ at that begin already: an "optimizer:<path>" trace of theirs says nothing
  /// new.
  std::set<std::string> differing;
};

/// Walks the boundaries in causal order (within a begin: data, RNG, parameters, ..., schedule;
/// within a step: the order in which the first leg met them). Where one leg ends at a boundary and
/// the other begins a step there, parameters and optimizer slots are compared, not what is updated
/// in between. Traces of a phase that occurs more often in one leg of the first step (a window that
/// was open at the save) are aligned at its end.
StepsComparison compare_steps(const StepLog& source, const StepLog& target,
                              const StepsQuestion& question);

/// Paths that differ between the last boundaries that both logs have; empty when they are the same.
/// `compared` is set when there was a boundary to compare.
std::vector<std::string> last_boundary_differences(const StepLog& source, const StepLog& target,
                                                   const std::set<std::string>& fields,
                                                   bool& compared);

}  // namespace samestep
