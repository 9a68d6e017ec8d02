// SaveMarks: what the recorder saw of the live state at the save calls of one step, as digests.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "capture/run_reader.h"

namespace samestep {

/// The random streams' digests (hex) beside one write, by path.
using StreamMarks = std::map<std::string, std::string>;

/// Of the save calls after `completed` steps: one for each side of each call.
std::vector<StreamMarks> streams_at_saves(const StepLog& log, std::int64_t completed);

/// Undeclared state at those calls. Between the save and the begin of the next step a batch is
/// fetched, which moves cursors; and what holds an object at the save may not be what holds it
/// later, so that the last part of a path is all that is asked for.
class UndeclaredMarks {
 public:
  UndeclaredMarks(const StepLog& log, std::int64_t completed);
  /// Some state whose path ends in `leaf` had this value.
  bool had(const std::string& leaf, const Digest& digest) const;

 private:
  std::map<std::string, std::set<std::string>> digests_;  ///< leaf -> hex
};

}  // namespace samestep
