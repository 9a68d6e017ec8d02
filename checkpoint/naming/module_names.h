// Module names: the state_dict key of a model's tensor, wrappers folded.
#pragma once

#include <string>
#include <vector>

#include "checkpoint/naming/claims.h"
#include "schemas/role.h"

namespace samestep {

/// `name` without the prefixes that compilation, sharding and checkpointing wrappers put into it,
/// anywhere
/// ("_orig_mod.", "_fsdp_wrapped_module.", "_checkpoint_wrapped_module.", "_forward_module.").
std::string fold_wrappers(std::string name);

/// Path parts after "model" for each leaf of a model component, in the same order. A leading
/// "module." is folded when every tensor has it (DistributedDataParallel). Pickled modules come out
/// as their state_dict would, their plain attributes as `<module>.<attribute>`.
std::vector<std::vector<std::string>> module_names(const ClaimedComponent& model);

/// Path parts after "ema" for each leaf of an average, in the same order: its tensors as the
/// averaged model's state_dict has them (the container that holds them, and a leading "module.",
/// are folded), its counters under their own keys.
std::vector<std::vector<std::string>> average_names(const ClaimedComponent& average,
                                                    const KeyTree& tree);

/// parameter, buffer or other, by the name and by what a module's tensors are.
Role module_role(const std::string& name, const Leaf& leaf);

}  // namespace samestep
