// ContractCheck: clauses of the execution contract that did not hold between two legs.
#pragma once

#include <vector>

#include "schemas/contract.h"
#include "schemas/report.h"

namespace samestep {

/// A finding of kind breach, grade warning, for each clause that differs or that one side lacks:
/// field "plan/<clause>", component "plan", both values as sides. Clauses that every resumed run
/// changes and no bit depends on (the command line, process ids, paths) are left out.
std::vector<Finding> breaches_between(const Contract& source, const Contract& target, int rank);

}  // namespace samestep
