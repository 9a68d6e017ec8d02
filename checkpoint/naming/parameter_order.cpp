#include "checkpoint/naming/parameter_order.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>

#include "checkpoint/naming/vocabulary.h"

namespace samestep {
namespace {

constexpr std::size_t kTableCellsMax = 4'000'000;
using Order = std::vector<std::size_t>;  // candidates, by number

bool fits(const NumberedState& state, const ParameterCandidate& candidate) {
  return !state.shape || *state.shape == candidate.shape;
}

/// What the orders that fit say of each state.
class Agreement {
 public:
  explicit Agreement(std::size_t states) : candidates_(states) {}

  void add(std::size_t state, std::size_t candidate) {
    auto& known = candidates_[state];
    if (!known.one) known.one = candidate;
    known.several = known.several || *known.one != candidate;
  }
  /// The candidate that every order gives to this state.
  std::optional<std::size_t> of(std::size_t state) const {
    return candidates_[state].several ? std::nullopt : candidates_[state].one;
  }

 private:
  struct Known {
    std::optional<std::size_t> one;
    bool several = false;
  };
  std::vector<Known> candidates_;
};

/// All ways in which some states are a subsequence of some candidates (frozen parameters are left
/// out): can states[..i) lie in candidates[..j), and states[i..) in candidates[j..)?
class Subsequences {
 public:
  Subsequences(const std::vector<NumberedState>& states,
               const std::vector<ParameterCandidate>& model, Order of, Order in)
      : of_(std::move(of)), in_(std::move(in)), columns_(in_.size() + 1) {
    const std::size_t rows = of_.size() + 1;
    if (of_.size() > in_.size() || rows * columns_ > kTableCellsMax) return;
    fits_.assign(rows * columns_, false);
    for (std::size_t i = 0; i < of_.size(); ++i)
      for (std::size_t j = 0; j < in_.size(); ++j)
        fits_[i * columns_ + j] = samestep::fits(states[of_[i]], model[in_[j]]);
    before_ = after_ = std::vector<bool>(rows * columns_, false);
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns_; ++j)
        before_[i * columns_ + j] =
            i == 0 || (j > 0 && (at(before_, i, j - 1) ||
                                 (at(fits_, i - 1, j - 1) && at(before_, i - 1, j - 1))));
    for (std::size_t i = rows; i-- > 0;)
      for (std::size_t j = columns_; j-- > 0;)
        after_[i * columns_ + j] =
            i == of_.size() || (j < in_.size() && (at(after_, i, j + 1) ||
                                                   (at(fits_, i, j) && at(after_, i + 1, j + 1))));
  }

  bool any() const { return !after_.empty() && after_[0]; }

  void tell(Agreement& agreement) const {
    for (std::size_t i = 0; i < of_.size(); ++i)
      for (std::size_t j = 0; j < in_.size(); ++j)
        if (at(fits_, i, j) && at(before_, i, j) && at(after_, i + 1, j + 1))
          agreement.add(of_[i], in_[j]);
  }

 private:
  bool at(const std::vector<bool>& table, std::size_t i, std::size_t j) const {
    return table[i * columns_ + j];
  }

  Order of_, in_;
  std::size_t columns_;
  std::vector<bool> fits_, before_, after_;
};

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

Order all_of(std::size_t count) {
  Order order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

/// The states of both groups, each in the order of the candidates that `exempt` gives it.
bool add_split(const std::vector<NumberedState>& states,
               const std::vector<ParameterCandidate>& model,
               bool (*exempt)(const ParameterCandidate&), std::size_t exempt_group,
               Agreement& agreement) {
  Order of[2], in[2];
  for (std::size_t i = 0; i < states.size(); ++i)
    of[states[i].group == exempt_group ? 1 : 0].push_back(i);
  for (std::size_t j = 0; j < model.size(); ++j) in[exempt(model[j]) ? 1 : 0].push_back(j);
  const Subsequences decayed(states, model, of[0], in[0]), exempted(states, model, of[1], in[1]);
  if (!decayed.any() || !exempted.any()) return false;
  decayed.tell(agreement);
  exempted.tell(agreement);
  return true;
}

/// What the orders that trainers are known to use, and whose shapes fit, agree on; nothing where
/// none fits.
std::optional<Agreement> conventions(const std::vector<NumberedState>& states,
                                     const std::vector<ParameterCandidate>& model) {
  Agreement agreement(states.size());
  bool any = false;
  if (states.size() == model.size()) {
    for (std::size_t i = 0; (any = i == states.size()) == false && fits(states[i], model[i]);) ++i;
    for (std::size_t i = 0; any && i < states.size(); ++i) agreement.add(i, i);
  } else {
    const Subsequences in_turn(states, model, all_of(states.size()), all_of(model.size()));
    any = in_turn.any();
    if (any) in_turn.tell(agreement);
  }
  const std::size_t groups = states.back().group + 1;
  const double decay[2] = {states.front().weight_decay, states.back().weight_decay};
  for (std::size_t exempt_group = 0; groups == 2 && exempt_group < 2; ++exempt_group) {
    if (decay[exempt_group] != 0 || decay[1 - exempt_group] == 0) continue;
    for (const auto exempt : kNoDecay)
      any = add_split(states, model, exempt, exempt_group, agreement) || any;
  }
  return any ? std::optional(agreement) : std::nullopt;
}

ParameterNames named(const std::vector<NumberedState>& states,
                     const std::vector<ParameterCandidate>& model, const Agreement& agreement) {
  const bool one_group = states.front().group == states.back().group;
  ParameterNames result;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const auto candidate = agreement.of(i);
    result.names.push_back(candidate ? std::optional(model[*candidate].name) : std::nullopt);
    if (!candidate) result.why_not = "several orders of the parameters fit their shapes";
  }
  const bool all = result.why_not.empty();
  const bool some = std::any_of(result.names.begin(), result.names.end(),
                                [](const auto& name) { return name.has_value(); });
  result.how = !some                           ? ""
               : !all                          ? "every order that fits"
               : !one_group                    ? "group convention"
               : states.size() == model.size() ? "module order"
                                               : "only fit";
  return result;
}

// A state whose shape only one parameter has belongs to it, whatever the order, provided that this
// model is the one.
ParameterNames by_shape(const std::vector<NumberedState>& states,
                        const std::vector<ParameterCandidate>& model, bool module_order) {
  ParameterNames result{std::vector<std::optional<std::string>>(states.size()),
                        {},
                        module_order ? "no usual order of the model's parameters has their shapes"
                                     : "the model's file keeps no order of its parameters, and "
                                       "several have their shape"};
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
  if (std::all_of(result.names.begin(), result.names.end(),
                  [](const auto& name) { return name.has_value(); }))
    result.why_not.clear();
  return result;
}

}  // namespace

ParameterNames name_states(const std::vector<NumberedState>& states,
                           const std::vector<ParameterCandidate>& model, bool module_order) {
  const bool shaped = std::any_of(states.begin(), states.end(),
                                  [](const auto& state) { return state.shape.has_value(); });
  if (!shaped || model.empty()) {
    return {std::vector<std::optional<std::string>>(states.size()),
            {},
            model.empty() ? "no model lies beside the optimizer"
                          : "its states do not tell the shapes of their parameters"};
  }
  if (module_order) {
    if (const auto agreement = conventions(states, model)) return named(states, model, *agreement);
  }
  return by_shape(states, model, module_order);
}

}  // namespace samestep
