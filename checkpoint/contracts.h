// Contracts: does a checkpoint hold what its components need to go on, and do its counters agree
// with each other?
#pragma once

#include <string>
#include <vector>

#include "checkpoint/formats/document.h"
#include "checkpoint/state_tree.h"

namespace samestep {

struct ContractFindings {
  /// What a resumed run would want and this checkpoint does not hold, and what follows for the
  /// resumed step.
  struct Absence {
    std::string what, why;
  };
  std::vector<Absence> absent;
  /// Things that may be right and often are not, each with its reason.
  std::vector<std::string> warnings;
  /// Facts for a person: kinds of optimizer and schedule that were recognised.
  std::vector<std::string> notes;
  /// Counters that cannot all be right (inconsistent): `verify` fails for these.
  std::vector<Problem> problems;
};

/// Checks `tree` (of a checkpoint, named by name_document) against the state contracts
/// (schemas/contracts). `format` is the document's. A tree without model, optimizer and random
/// state is no training checkpoint and gives nothing. Sorted, the same for the same tree.
ContractFindings check_contracts(const StateTree& tree, const std::string& format);

}  // namespace samestep
