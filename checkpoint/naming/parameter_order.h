// Parameter order: which parameter each of an optimizer's numbered states belongs to, as far as the
// model that lies beside it in the checkpoint proves it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace samestep {

using Shape = std::vector<std::int64_t>;

/// A tensor of the model that may be a parameter, under its folded name.
struct ParameterCandidate {
  std::string name;
  Shape shape;
};

/// A numbered state, in the optimizer's order.
struct NumberedState {
  std::optional<Shape> shape;  ///< of its parameter; absent where its slots do not tell
  std::size_t group = 0;
  double weight_decay = 0;  ///< of its group
};

struct ParameterNames {
  std::vector<std::optional<std::string>> names;  ///< one a state; nothing where it is not proved
  /// "module order" (one group in the order of the model), "only fit" (frozen parameters left out,
  /// no other order has these shapes), "group convention" (groups split by the usual decay rules,
  /// shapes and decay agree), "every order that fits" (several do; these states have the same name
  /// in all of them), "shape" (the only parameter of that shape); empty when nothing was named.
  std::string how;
  std::string why_not;  ///< why a state has no name, where one has none
};

/// `module_order`: `model` is in the order in which the module registers its parameters (not so in
/// safetensors).
ParameterNames name_states(const std::vector<NumberedState>& states,
                           const std::vector<ParameterCandidate>& model, bool module_order);

}  // namespace samestep
