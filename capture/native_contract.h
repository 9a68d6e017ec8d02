// Native contract: the clauses that can be known without Python or torch: processor, threads,
// environment.
#pragma once

#include "schemas/contract.h"

namespace samestep {

/// "host.cpu_model", "host.cpu_capability" (instruction sets that numeric libraries choose kernels
/// by), "host.hardware_threads" (that this process may use), and "env.<NAME>" for each variable of
/// environment_names() that is set. Never throws Error: what cannot be read is left out.
Contract native_contract();

/// Clauses of both; where both have one of a name, that of `preferred`.
Contract merge_contracts(const Contract& preferred, const Contract& other);

}  // namespace samestep
