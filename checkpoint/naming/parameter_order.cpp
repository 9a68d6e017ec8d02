#include "checkpoint/naming/parameter_order.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "checkpoint/naming/vocabulary.h"

namespace samestep {
namespace {

constexpr std::size_t kTableCellsMax = 4'000'000;
using Order = std::vector<std::size_t>;  // candidate of each state

bool fits(const NumberedState& state, const ParameterCandidate& candidate) {
  return !state.shape || *state.shape == candidate.shape;
}

bool fits(const std::vector<NumberedState>& states, const std::vector<ParameterCandidate>& model,
          const Order& order) {
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (!fits(states[i], model[order[i]])) return false;
  }
  return true;
}

// The one way in which the states are a subsequence of the model (frozen parameters left out), if
// there is just one.
std::optional<Order> only_subsequence(const std::vector<NumberedState>& states,
                                      const std::vector<ParameterCandidate>& model) {
  const std::size_t rows = states.size() + 1, columns = model.size() + 1;
  if (states.size() > model.size() || rows * columns > kTableCellsMax) return std::nullopt;
  std::vector<unsigned char> ways(rows * columns,
                                  0);  // of states[i..] in model[j..]; 2 means several
  const auto at = [&](std::size_t i, std::size_t j) -> unsigned char& {
    return ways[i * columns + j];
  };
  for (std::size_t j = 0; j < columns; ++j) at(states.size(), j) = 1;
  for (std::size_t i = states.size(); i-- > 0;) {
    for (std::size_t j = model.size(); j-- > 0;) {
      const int taken = fits(states[i], model[j]) ? at(i + 1, j + 1) : 0;
      at(i, j) = static_cast<unsigned char>(std::min(2, taken + at(i, j + 1)));
    }
  }
  if (at(0, 0) != 1) return std::nullopt;
  Order order;
  for (std::size_t i = 0, j = 0; i < states.size(); ++j) {
    if (fits(states[i], model[j]) && at(i + 1, j + 1) == 1) {
      order.push_back(j);
      ++i;
    }
  }
  return order;
}

bool is_bias(const ParameterCandidate& candidate) {
  const auto words = words_of(candidate.name);
  return !words.empty() && words.back() == "bias";
}

bool is_norm(const ParameterCandidate& candidate) {
  const auto words = words_of(candidate.name);
  return std::any_of(words.begin(), words.end(), [](const std::string& word) {
    return word.find("norm") != std::string::npos || word == "ln" || word == "bn" || word == "n";
  });
}

bool is_flat(const ParameterCandidate& candidate) { return candidate.shape.size() < 2; }
bool is_bias_or_norm(const ParameterCandidate& candidate) {
  return is_bias(candidate) || is_norm(candidate);
}
constexpr std::array<bool (*)(const ParameterCandidate&), 3> kNoDecay{is_bias, is_flat,
                                                                      is_bias_or_norm};

// Candidates in the order that two groups split by `exempt` give; the exempt ones are in group
// `exempt_group`.
Order split(const std::vector<ParameterCandidate>& model, bool (*exempt)(const ParameterCandidate&),
            std::size_t exempt_group) {
  Order first, second;
  for (std::size_t j = 0; j < model.size(); ++j) {
    (exempt(model[j]) == (exempt_group == 0) ? first : second).push_back(j);
  }
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

bool same_sizes(const std::vector<NumberedState>& states,
                const std::vector<ParameterCandidate>& model,
                bool (*exempt)(const ParameterCandidate&), std::size_t exempt_group) {
  const auto in_group =
      std::count_if(states.begin(), states.end(),
                    [&](const NumberedState& state) { return state.group == exempt_group; });
  return in_group == std::count_if(model.begin(), model.end(), exempt);
}

std::optional<Order> only_convention(const std::vector<NumberedState>& states,
                                     const std::vector<ParameterCandidate>& model) {
  std::set<Order> orders;
  Order in_turn;
  for (std::size_t i = 0; i < states.size(); ++i) in_turn.push_back(i);
  if (fits(states, model, in_turn)) orders.insert(in_turn);
  const std::size_t groups = states.back().group + 1;
  const double decay[2] = {states.front().weight_decay, states.back().weight_decay};
  for (std::size_t exempt_group = 0; groups == 2 && exempt_group < 2; ++exempt_group) {
    if (decay[exempt_group] != 0 || decay[1 - exempt_group] == 0) continue;
    for (const auto exempt : kNoDecay) {
      if (!same_sizes(states, model, exempt, exempt_group)) continue;
      const Order order = split(model, exempt, exempt_group);
      if (fits(states, model, order)) orders.insert(order);
    }
  }
  return orders.size() == 1 ? std::optional(*orders.begin()) : std::nullopt;
}

ParameterNames named(const std::vector<NumberedState>& states,
                     const std::vector<ParameterCandidate>& model, const Order& order,
                     const char* how) {
  ParameterNames result{{}, how};
  for (std::size_t i = 0; i < states.size(); ++i) result.names.emplace_back(model[order[i]].name);
  return result;
}

// A state whose shape only one parameter has belongs to it, whatever the order, provided that this
// model is the one.
ParameterNames by_shape(const std::vector<NumberedState>& states,
                        const std::vector<ParameterCandidate>& model) {
  ParameterNames result{std::vector<std::optional<std::string>>(states.size()), {}};
  std::map<Shape, std::vector<std::size_t>> candidates, wanted;
  for (std::size_t j = 0; j < model.size(); ++j) candidates[model[j].shape].push_back(j);
  for (std::size_t i = 0; i < states.size(); ++i) {
    if (states[i].shape) wanted[*states[i].shape].push_back(i);
  }
  for (const auto& [shape, of_shape] : wanted) {
    if (candidates[shape].size() < of_shape.size()) return result;
  }
  for (const auto& [shape, of_shape] : wanted) {
    if (candidates[shape].size() != 1 || of_shape.size() != 1) continue;
    result.names[of_shape.front()] = model[candidates[shape].front()].name;
    result.how = "shape";
  }
  return result;
}

}  // namespace

ParameterNames name_states(const std::vector<NumberedState>& states,
                           const std::vector<ParameterCandidate>& model, bool module_order) {
  const bool shaped = std::any_of(states.begin(), states.end(),
                                  [](const auto& state) { return state.shape.has_value(); });
  if (!shaped || model.empty()) return {std::vector<std::optional<std::string>>(states.size()), {}};
  const bool one_group = states.front().group == states.back().group;
  if (module_order && one_group) {
    if (states.size() == model.size()) {
      Order in_turn;
      for (std::size_t i = 0; i < states.size(); ++i) in_turn.push_back(i);
      if (fits(states, model, in_turn)) return named(states, model, in_turn, "module order");
    } else if (const auto order = only_subsequence(states, model)) {
      return named(states, model, *order, "only fit");
    }
  }
  if (module_order && !one_group && states.size() == model.size()) {
    if (const auto order = only_convention(states, model))
      return named(states, model, *order, "group convention");
  }
  return by_shape(states, model);
}

}  // namespace samestep
