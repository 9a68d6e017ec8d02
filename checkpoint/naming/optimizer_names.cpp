#include "checkpoint/naming/optimizer_names.h"

#include <algorithm>
#include <charconv>

#include "checkpoint/naming/module_names.h"
#include "checkpoint/naming/scalar.h"

namespace samestep {
namespace {

// A leaf of an optimizer, its keys sorted out.
struct Parsed {
  enum class Section { state, group, other } section = Section::other;
  std::string id;                 ///< of a state: number, address or name; of a group: its number
  std::vector<std::string> rest;  ///< slot, or group key
};

bool begins(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// "state.<name>.<slot>" (flattened), or "state.<slot>.<name>" (Megatron).
Parsed parse_flat_state(std::string_view text) {
  text.remove_prefix(6);
  const auto first = text.find('.'), last = text.rfind('.');
  if (last == std::string_view::npos) return {Parsed::Section::state, std::string(text), {}};
  const std::string_view head = text.substr(0, first), tail = text.substr(last + 1);
  if (!is_known_slot(tail) && is_known_slot(head)) {
    return {Parsed::Section::state, std::string(text.substr(first + 1)), {std::string(head)}};
  }
  return {Parsed::Section::state, std::string(text.substr(0, last)), {std::string(tail)}};
}

// libtorch writes "param_groups/0", "params/3" and puts the options one level down.
std::string after_slash(const std::string& text) {
  const auto slash = text.find('/');
  return slash == std::string::npos ? text : text.substr(slash + 1);
}

Parsed parse_group(const std::vector<std::string>& parts) {
  Parsed parsed{
      Parsed::Section::group, parts.size() > 1 ? after_slash(parts[1]) : std::string{}, {}};
  for (std::size_t i = 2; i < parts.size(); ++i) {
    if (i == 2 && parts[i] == "options" && parts.size() > 3) continue;
    if (i == 2 && begins(parts[i], "params/")) parsed.rest.push_back("params");
    parsed.rest.push_back(begins(parts[i], "params/") ? after_slash(parts[i]) : parts[i]);
  }
  return parsed;
}

Parsed parse(const std::vector<std::string>& parts) {
  if (parts.empty()) return {};
  if (parts[0] == "state" && parts.size() > 1) {
    return {Parsed::Section::state, parts[1], {parts.begin() + 2, parts.end()}};
  }
  if (begins(parts[0], "state.")) {
    Parsed parsed = parse_flat_state(parts[0]);
    parsed.rest.insert(parsed.rest.end(), parts.begin() + 1, parts.end());
    return parsed;
  }
  if (parts[0] == "param_groups") return parse_group(parts);
  if (begins(parts[0], "param_groups.")) {
    const std::string text = parts[0].substr(13);
    const auto last = text.rfind('.');
    Parsed parsed{Parsed::Section::group, text.substr(0, last), {}};
    if (last != std::string::npos) parsed.rest.push_back(text.substr(last + 1));
    parsed.rest.insert(parsed.rest.end(), parts.begin() + 1, parts.end());
    return parsed;
  }
  if (parts.size() > 1 && is_known_slot(parts[1]))
    return {Parsed::Section::state, parts[0], {parts.begin() + 1, parts.end()}};
  return {Parsed::Section::other, {}, parts};
}

std::string text_of(const Leaf& leaf) {
  if (const auto* text = std::get_if<std::string>(&leaf.value)) return *text;
  if (const auto* number = std::get_if<std::int64_t>(&leaf.value)) return std::to_string(*number);
  return {};
}

// The optimizer's parameters in its order, as its groups list them.
struct Listed {
  std::map<std::string, std::size_t> index;  ///< id -> position over all groups
  std::vector<std::string> names;    ///< param_names, by position; empty where they are not given
  std::vector<std::size_t> group;    ///< by position
  std::vector<double> weight_decay;  ///< by position
};

Listed list_parameters(const ClaimedComponent& optimizer, const KeyTree& tree,
                       const std::vector<Parsed>& parsed) {
  Listed listed;
  std::map<std::string, std::size_t> group_number;
  std::map<std::string, double> decay;
  std::vector<std::string> group_of;
  std::vector<std::vector<std::string>> names;
  for (std::size_t i = 0; i < parsed.size(); ++i) {
    if (parsed[i].section != Parsed::Section::group || parsed[i].rest.empty()) continue;
    const Leaf& leaf = tree.document().leaves[optimizer.leaves[i].leaf];
    const std::size_t number =
        group_number.emplace(parsed[i].id, group_number.size()).first->second;
    if (names.size() <= number) names.resize(number + 1);
    const std::string& key = parsed[i].rest.front();
    if (key == "weight_decay") {
      const auto* real = std::get_if<double>(&leaf.value);
      const auto* integer = std::get_if<std::int64_t>(&leaf.value);
      decay[parsed[i].id] = real != nullptr      ? *real
                            : integer != nullptr ? static_cast<double>(*integer)
                                                 : 0;
    } else if (key == "param_names") {
      names[number].push_back(text_of(leaf));
    } else if (key == "params" && parsed[i].rest.back() != "size" &&
               leaf.kind == FieldKind::value) {
      std::vector<std::string> ids{text_of(leaf)};
      if (const auto* packed =
              std::get_if<Numbers>(&leaf.value)) {  // a long list of numbers is one leaf
        ids.clear();
        if (const auto* list = std::get_if<std::vector<std::int64_t>>(&packed->values)) {
          for (const std::int64_t id : *list) ids.push_back(std::to_string(id));
        }
      }
      for (const std::string& id : ids) {
        if (!listed.index.emplace(id, listed.group.size()).second) continue;
        listed.group.push_back(number);
        group_of.push_back(parsed[i].id);
      }
    }
  }
  for (const std::string& id : group_of) listed.weight_decay.push_back(decay[id]);
  for (const auto& of_group : names)
    listed.names.insert(listed.names.end(), of_group.begin(), of_group.end());
  if (listed.names.size() != listed.group.size()) listed.names.clear();
  return listed;
}

// Shape of the parameter that these slots belong to.
std::optional<Shape> parameter_shape(const std::map<std::string, Shape>& slots) {
  for (const auto& [name, shape] : slots) {
    if (is_elementwise_slot(name) && (name != "exp_avg_sq" || !slots.contains("exp_avg_sq_row")))
      return shape;
  }
  const auto row = slots.find("row_var"), column = slots.find("col_var");
  if (row != slots.end() && column != slots.end() && !row->second.empty() &&
      !column->second.empty()) {
    Shape shape = row->second;
    shape.back() = column->second.back();
    return shape;
  }
  const auto rows = slots.find("exp_avg_sq_row"), columns = slots.find("exp_avg_sq_col");
  if (rows != slots.end() && columns != slots.end() && !columns->second.empty()) {
    Shape shape = rows->second;
    shape.push_back(columns->second.back());
    return shape;
  }
  return std::nullopt;
}

// Names of numbered states, by id.
std::map<std::string, std::string> names_of_numbers(
    const ClaimedComponent& optimizer, const KeyTree& tree, const std::vector<Parsed>& parsed,
    const Listed& listed, const std::vector<ModelView>& models, OptimizerNames& result) {
  std::map<std::string, std::map<std::string, Shape>> slots;
  for (std::size_t i = 0; i < parsed.size(); ++i) {
    const Leaf& leaf = tree.document().leaves[optimizer.leaves[i].leaf];
    if (parsed[i].section != Parsed::Section::state || parsed[i].rest.empty() ||
        leaf.kind != FieldKind::tensor)
      continue;
    slots[parsed[i].id].emplace(parsed[i].rest.front(), leaf.shape);
  }
  std::vector<NumberedState> states(listed.group.size());
  std::vector<std::string> ids(listed.group.size());
  for (const auto& [id, position] : listed.index) {
    const auto found = slots.find(id);
    if (found != slots.end()) states[position].shape = parameter_shape(found->second);
    states[position].group = listed.group[position];
    states[position].weight_decay = listed.weight_decay[position];
    ids[position] = id;
  }
  std::map<std::string, std::string> names;
  result.listed = states.size();
  if (states.empty()) return names;
  if (models.empty()) result.why_not = name_states(states, {}, true).why_not;
  for (const ModelView& model : models) {
    const ParameterNames found = name_states(states, model.tensors, model.module_order);
    std::map<std::string, std::string> more;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (found.names[i]) more[ids[i]] = *found.names[i];
    }
    const bool better = more.size() > names.size();
    if (better || &model == &models.front()) {
      result.why_not = found.why_not;
      result.model_parameters = model.tensors.size();
    }
    if (!better) continue;
    names = std::move(more);
    result.how = found.how;
  }
  return names;
}

Role group_role(const std::string& key) {
  return key == "step" ? Role::step_counter : Role::hyperparameter;
}

}  // namespace

OptimizerNames optimizer_names(const ClaimedComponent& optimizer, const KeyTree& tree,
                               const std::vector<ModelView>& models) {
  std::vector<Parsed> parsed;
  for (const ClaimedLeaf& leaf : optimizer.leaves) parsed.push_back(parse(leaf.parts));
  const Listed listed = list_parameters(optimizer, tree, parsed);
  OptimizerNames result;
  std::map<std::string, std::string> names;
  const bool numbered = std::all_of(listed.index.begin(), listed.index.end(),
                                    [](const auto& at) { return is_number(at.first); });
  if (listed.names.empty() && numbered) {
    names = names_of_numbers(optimizer, tree, parsed, listed, models, result);
  } else if (!listed.names.empty()) {
    for (const auto& [id, position] : listed.index)
      names[id] = fold_wrappers(listed.names[position]);
    result.how = "param_names";
  }
  for (std::size_t i = 0; i < parsed.size(); ++i) {
    const Parsed& at = parsed[i];
    OptimizerLeafName leaf;
    if (at.section == Parsed::Section::state) {
      const auto index = listed.index.find(at.id);
      const bool number = is_number(at.id);
      std::string place = index != listed.index.end() ? std::to_string(index->second)
                          : number                    ? at.id
                                                      : "";
      const auto name = names.find(at.id);
      if (!number && name == names.end() && result.how.empty()) result.how = "keys";
      leaf.parts = {"state", name != names.end() ? name->second
                             : number            ? place
                                                 : fold_wrappers(at.id)};
      leaf.parts.insert(leaf.parts.end(), at.rest.begin(), at.rest.end());
      if (!place.empty()) {
        leaf.place = {"state", place};
        leaf.place.insert(leaf.place.end(), at.rest.begin(), at.rest.end());
      }
      const Leaf& source = tree.document().leaves[optimizer.leaves[i].leaf];
      const bool scalar = source.kind == FieldKind::value || source.shape.empty();
      leaf.role = at.rest.empty() ? Role::other : slot_role(at.rest.front(), scalar);
    } else if (at.section == Parsed::Section::group) {
      leaf.parts = {"param_groups", at.id};
      leaf.parts.insert(leaf.parts.end(), at.rest.begin(), at.rest.end());
      leaf.bookkeeping =
          at.rest.empty() || at.rest.front() == "params" || at.rest.front() == "param_names";
      leaf.role = leaf.bookkeeping ? Role::other : group_role(at.rest.front());
    } else {
      const Leaf& source = tree.document().leaves[optimizer.leaves[i].leaf];
      const bool flat = source.kind == FieldKind::tensor && !source.shape.empty();
      leaf.parts = at.rest;
      leaf.role = flat ? Role::parameter : Role::other;  // master weights in flat partitions
    }
    result.leaves.push_back(std::move(leaf));
  }
  return result;
}

}  // namespace samestep
