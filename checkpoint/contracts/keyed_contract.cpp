#include "checkpoint/contracts/keyed_contract.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "checkpoint/naming/scalar.h"
#include "schemas/contracts/state_contracts.h"

namespace samestep {
namespace {

std::optional<JsonNode> find_kind(const ComponentView& component) {
  for (const JsonNode& kind : state_contract(component.kind).at("kinds").elements()) {
    const auto has = kind.at("has").elements();
    bool is = std::all_of(has.begin(), has.end(),
                          [&](const JsonNode& key) { return component.has_key(key.as_string()); });
    if (const auto lacks = kind.find("lacks")) {
      for (const JsonNode& key : lacks->elements()) is = is && !component.has_key(key.as_string());
    }
    if (is) return kind;
  }
  return std::nullopt;
}

bool is_none(const Field& field) {
  return field.value && std::holds_alternative<None>(*field.value);
}

std::optional<double> real_of(const Field* field) {
  if (field == nullptr || !field->value) return std::nullopt;
  if (const auto* real = std::get_if<double>(&*field->value)) return *real;
  if (const auto* number = std::get_if<std::int64_t>(&*field->value))
    return static_cast<double>(*number);
  return std::nullopt;
}

}  // namespace

void check_keys(const ComponentView& component, ContractFindings& findings) {
  const auto kind = find_kind(component);
  if (!kind) return;
  const std::string& name = kind->at("name").as_string();
  const JsonNode reasons = state_contract(component.kind).at("missing");
  findings.notes.push_back(component.name + " is " + name);
  for (const JsonNode& key : kind->at("needs").elements()) {
    if (component.has_key(key.as_string())) continue;
    const auto reason = reasons.find(key.as_string());
    findings.absent.push_back({component.name + "/" + key.as_string(),
                               (reason ? *reason : reasons.at("default")).as_string()});
  }
}

void check_schedule(const ComponentView& schedule, const std::vector<ComponentView>& all,
                    ContractFindings& findings) {
  const JsonNode contract = state_contract("lr_scheduler");
  const bool plain =
      std::any_of(schedule.fields.begin(), schedule.fields.end(), [](const ComponentField& at) {
        return at.parts.size() == 2 && at.parts[0] == "lr_lambdas" && is_none(*at.field);
      });
  if (plain)
    findings.absent.push_back(
        {schedule.name + "/lr_lambdas", contract.at("function_not_saved").as_string()});
  // Which optimizer a schedule drives is only certain when there is one of each.
  const auto of_kind = [&](std::string_view kind) {
    return std::count_if(all.begin(), all.end(),
                         [&](const auto& view) { return view.kind == kind; });
  };
  if (of_kind("optimizer") != 1 || of_kind("lr_scheduler") != 1) return;
  const auto optimizer = std::find_if(all.begin(), all.end(),
                                      [](const auto& view) { return view.kind == "optimizer"; });
  for (const ComponentField& at : schedule.fields) {
    if (at.parts.size() != 2 || at.parts[0] != "_last_lr") continue;
    const auto set = real_of(at.field),
               held = real_of(optimizer->find({"param_groups", at.parts[1], "lr"}));
    if (!set || !held || *set == *held) continue;
    findings.warnings.push_back(optimizer->name + "/param_groups/" + at.parts[1] + "/lr is " +
                                display(Value{*held}) + ", " + schedule.name + "/_last_lr/" +
                                at.parts[1] + " " + display(Value{*set}) + ": " +
                                contract.at("rate_differs").as_string());
  }
}

void check_average(const ComponentView& average, ContractFindings& findings) {
  const JsonNode contract = state_contract("ema");
  const auto counters = contract.at("counters").elements();
  const bool counted =
      std::any_of(average.fields.begin(), average.fields.end(), [&](const ComponentField& at) {
        return !at.parts.empty() &&
               std::any_of(counters.begin(), counters.end(), [&](const JsonNode& name) {
                 return name.as_string() == at.parts.back();
               });
      });
  if (counted) return;
  const JsonNode fact = contract.at("no_counter");
  findings.absent.push_back({fact.at("what").as_string(), fact.at("why").as_string()});
}

void check_loader(const ComponentView& loader, ContractFindings& findings) {
  const JsonNode contract = state_contract("dataloader");
  std::set<std::string> keys;
  for (const ComponentField& at : loader.fields) {
    if (!at.parts.empty()) keys.insert(at.parts.back());
  }
  for (const JsonNode& fact : contract.at("facts").elements()) {
    const auto beside = fact.at("beside").elements();
    const bool fits = std::all_of(beside.begin(), beside.end(), [&](const JsonNode& key) {
      return keys.contains(key.as_string());
    });
    const bool none =
        std::any_of(loader.fields.begin(), loader.fields.end(), [&](const ComponentField& at) {
          return !at.parts.empty() && at.parts.back() == fact.at("field").as_string() &&
                 is_none(*at.field);
        });
    if (fits && none)
      findings.absent.push_back({fact.at("what").as_string(), fact.at("why").as_string()});
  }
  const JsonNode workers = contract.at("worker_streams");
  const bool has_workers =
      std::any_of(loader.fields.begin(), loader.fields.end(), [&](const ComponentField& at) {
        return !at.parts.empty() && at.parts.back() == workers.at("field").as_string() &&
               integer_of(*at.field).value_or(0) > 0;
      });
  if (has_workers)
    findings.absent.push_back({workers.at("what").as_string(), workers.at("why").as_string()});
}

}  // namespace samestep
