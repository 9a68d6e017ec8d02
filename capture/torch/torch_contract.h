// The execution contract as libtorch sees it: versions, flags, threads. The names are those of a
// Python trainer's record.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "schemas/contract.h"

namespace torch::optim {
class Optimizer;
}

namespace samestep::libtorch {

using NamedOptimizers = std::vector<std::pair<std::string, ::torch::optim::Optimizer*>>;

/// Reads only. `optimizers`: by component.
Contract torch_contract(int world_size, const NamedOptimizers& optimizers);
/// The same without the digest of the program, which every new build changes.
Contract library_contract(int world_size, const NamedOptimizers& optimizers);

}  // namespace samestep::libtorch
