// Contract: what else decides bits, beside state: versions, flags, environment, topology, kernels,
// workers.
#pragma once

#include <string>
#include <vector>

namespace samestep {

/// One item: `name` is a path such as "torch.num_threads" or "env.OMP_NUM_THREADS"; `value` its
/// canonical JSON text.
struct Clause {
  std::string name;
  std::string value;
  bool operator==(const Clause&) const = default;
};

/// Sorted by name, names unique.
struct Contract {
  std::vector<Clause> clauses;
};

}  // namespace samestep
