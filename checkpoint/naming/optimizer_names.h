// Optimizer names: `state/<parameter>/<slot>` and `param_groups/<g>/<key>` from the many ways in
// which optimizers' state dicts are written down.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/naming/claims.h"
#include "checkpoint/naming/parameter_order.h"
#include "schemas/role.h"

namespace samestep {

struct OptimizerLeafName {
  std::vector<std::string> parts;  ///< after "optimizer"
  Role role = Role::other;
  std::vector<std::string> place;  ///< the index form of `parts`; empty where there is none
  bool bookkeeping = false;        ///< numbers or names of parameters: order, not state
};

/// A model component's tensors as candidates, in file order.
struct ModelView {
  std::vector<ParameterCandidate> tensors;
  bool module_order = true;
};

struct OptimizerNames {
  std::vector<OptimizerLeafName> leaves;  ///< one a leaf of the component, in order
  std::string how;  ///< how states got their names ("param_names", "keys", or ParameterNames::how)
  std::string why_not;               ///< why states stay by index, where some do
  std::size_t listed = 0;            ///< numbered parameters that the groups list
  std::size_t model_parameters = 0;  ///< of the model that named most of them, else of the first
};

OptimizerNames optimizer_names(const ClaimedComponent& optimizer, const KeyTree& tree,
                               const std::vector<ModelView>& models);

}  // namespace samestep
