#include "checkpoint/contracts/optimizer_contract.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "checkpoint/naming/scalar.h"
#include "schemas/contracts/state_contracts.h"
#include "schemas/count_text.h"

namespace samestep {
namespace {

using Group = std::map<std::string, const Field*>;  // first part of the key -> its (first) field

// An optimizer's component, taken apart.
struct Parts {
  std::map<std::string, Group> groups;
  std::map<std::string, std::set<std::string>> states;  // parameter -> slots
  std::map<std::string, std::string> group_of;          // parameter's index -> group
  std::map<std::string, std::string> index_of;          // parameter -> its index, where traits tell
  std::size_t listed = 0;                               // parameters that the groups list
  std::set<std::string> by_index;                       // states without a parameter's name, ...
  std::string why_by_index, lists;  // ... and why; "3 of 5" of the model's parameters
};

std::string trait(const Field& field, const char* name) {
  const auto found = field.traits.find(name);
  return found == field.traits.end() ? std::string{} : found->second;
}

std::string index_in_place(const Field& field) {
  const std::string place = trait(field, "place");
  if (place.empty()) return {};
  const auto parts = FieldPath(place).parts();
  return parts.size() > 2 ? parts[2] : std::string{};
}

std::size_t count_of(const Field& field) {
  const Numbers* packed = field.value ? std::get_if<Numbers>(&*field.value) : nullptr;
  return packed == nullptr
             ? 1
             : std::visit([](const auto& list) { return list.size(); }, packed->values);
}

Parts take_apart(const ComponentView& optimizer) {
  Parts parts;
  for (const ComponentField& at : optimizer.fields) {
    if (at.parts.size() >= 3 && at.parts[0] == "state") {
      parts.states[at.parts[1]].insert(at.parts[2]);
      parts.index_of.emplace(at.parts[1], index_in_place(*at.field));
      if (const std::string why = trait(*at.field, "by_index"); !why.empty()) {
        parts.by_index.insert(at.parts[1]);
        parts.why_by_index = why;
      }
    } else if (at.parts.size() >= 3 && at.parts[0] == "param_groups") {
      parts.groups[at.parts[1]].emplace(at.parts[2], at.field);
      if (const std::string lists = trait(*at.field, "lists"); !lists.empty()) parts.lists = lists;
      if (at.parts[2] != "params" || at.rank.value_or(0) != 0) continue;
      for (std::size_t i = count_of(*at.field); i > 0; --i) {
        parts.group_of[std::to_string(parts.listed++)] = at.parts[1];
      }
    }
  }
  return parts;
}

bool is_set(const Group& group, const std::string& key) {
  const auto found = group.find(key);
  if (found == group.end() || !found->second->value) return false;
  const Value& value = *found->second->value;
  if (const auto* flag = std::get_if<bool>(&value)) return *flag;
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number != 0;
  if (const auto* real = std::get_if<double>(&value)) return *real != 0;
  return false;
}

bool is_kind(const JsonNode& kind, const Group& group) {
  for (const JsonNode& key : kind.at("has").elements()) {
    if (!group.contains(key.as_string())) return false;
  }
  if (const auto lacks = kind.find("lacks")) {
    for (const JsonNode& key : lacks->elements()) {
      if (group.contains(key.as_string())) return false;
    }
  }
  if (const auto where = kind.find("where")) {
    for (const JsonNode& wanted : where->items()) {
      if (is_set(group, wanted.key()) != wanted.as_bool()) return false;
    }
  }
  return true;
}

std::optional<JsonNode> find_kind(const Parts& parts) {
  if (parts.groups.empty()) return std::nullopt;
  for (const JsonNode& kind : state_contract("optimizer").at("kinds").elements()) {
    if (is_kind(kind, parts.groups.begin()->second)) return kind;
  }
  return std::nullopt;
}

bool has_all(const std::set<std::string>& slots, const JsonNode& names) {
  const auto list = names.elements();
  return std::all_of(list.begin(), list.end(),
                     [&](const JsonNode& name) { return slots.contains(name.as_string()); });
}

// Slots of one rule that a parameter's state lacks.
std::vector<std::string> lacking(const JsonNode& rule, const std::set<std::string>& slots) {
  std::vector<std::string> names;
  if (const auto all = rule.find("all")) {
    for (const JsonNode& name : all->elements()) {
      if (!slots.contains(name.as_string())) names.push_back(name.as_string());
    }
  } else {
    const auto choices = rule.at("one_of").elements();
    const bool one = std::any_of(choices.begin(), choices.end(),
                                 [&](const JsonNode& set) { return has_all(slots, set); });
    if (!one) names.push_back(choices.front().elements().front().as_string());
  }
  return names;
}

std::string why_missing(const std::string& slot) {
  const JsonNode reasons = state_contract("optimizer").at("slot_missing");
  const auto reason = reasons.find(slot);
  return (reason ? *reason : reasons.at("default")).as_string();
}

std::string some_of(const std::vector<std::string>& parameters, std::size_t of) {
  return std::to_string(parameters.size()) + " of " + std::to_string(of) + " parameters (" +
         parameters.front() + (parameters.size() > 1 ? ", ...)" : ")");
}

void check_slots(const ComponentView& optimizer, const Parts& parts, const JsonNode& kind,
                 ContractFindings& findings) {
  std::map<std::string, std::vector<std::string>> missing;  // slot -> parameters
  for (const auto& [parameter, slots] : parts.states) {
    const auto index = parts.index_of.find(parameter);
    const auto group =
        index == parts.index_of.end() ? parts.group_of.end() : parts.group_of.find(index->second);
    const Group& keys = group == parts.group_of.end() ? parts.groups.begin()->second
                                                      : parts.groups.at(group->second);
    for (const JsonNode& rule : kind.at("slots").elements()) {
      const auto when = rule.find("when");
      if (when && !is_set(keys, when->as_string())) continue;
      for (const std::string& slot : lacking(rule, slots)) missing[slot].push_back(parameter);
    }
  }
  for (const auto& [slot, parameters] : missing) {
    findings.warnings.push_back(optimizer.name + ": " + kind.at("name").as_string() + " keeps " +
                                slot + " for each parameter; " +
                                some_of(parameters, parts.states.size()) +
                                " have none: " + why_missing(slot));
  }
}

bool keeps_state(const JsonNode& kind, const Parts& parts) {
  const auto rules = kind.at("slots").elements();
  return std::any_of(rules.begin(), rules.end(), [&](const JsonNode& rule) {
    const auto when = rule.find("when");
    return !when || std::any_of(parts.groups.begin(), parts.groups.end(), [&](const auto& group) {
      return is_set(group.second, when->as_string());
    });
  });
}

}  // namespace

std::string optimizer_kind(const ComponentView& optimizer) {
  const auto kind = find_kind(take_apart(optimizer));
  return kind ? kind->at("name").as_string() : std::string{};
}

void check_optimizer(const ComponentView& optimizer, ContractFindings& findings) {
  const Parts parts = take_apart(optimizer);
  const auto kind = find_kind(parts);
  if (!kind) return;
  findings.notes.push_back(optimizer.name + " is " + kind->at("name").as_string() + ": " +
                           count_text(parts.groups.size(), "group") + ", " +
                           count_text(parts.states.size(), "state"));
  if (!parts.by_index.empty() && !kind->contains("per"))
    findings.notes.push_back(optimizer.name + ": " + count_text(parts.by_index.size(), "state") +
                             " of " + std::to_string(parts.states.size()) +
                             " by index, not by the parameter's name: " + parts.why_by_index);
  if (!keeps_state(*kind, parts)) return;
  const JsonNode contract = state_contract("optimizer");
  if (parts.states.empty()) {
    findings.absent.push_back({optimizer.name + "/state", contract.at("no_state").as_string()});
    return;
  }
  check_slots(optimizer, parts, *kind, findings);
  if (!parts.lists.empty() && !kind->contains("per") && !kind->contains("of"))
    findings.warnings.push_back(optimizer.name + ": " + parts.lists +
                                " parameters of the model: " + contract.at("fewer").as_string());
  if (!kind->contains("per") && parts.listed > parts.states.size()) {
    findings.warnings.push_back(
        optimizer.name + ": " + std::to_string(parts.listed - parts.states.size()) + " of " +
        std::to_string(parts.listed) + " parameters: " + contract.at("partly").as_string());
  }
}

}  // namespace samestep
