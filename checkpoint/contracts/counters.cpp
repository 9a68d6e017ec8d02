#include "checkpoint/contracts/counters.h"

#include <algorithm>
#include <map>

#include "checkpoint/naming/scalar.h"
#include "checkpoint/naming/step.h"
#include "schemas/contracts/state_contracts.h"

namespace samestep {
namespace {

// A counter of a rule, and how it is written in a message.
struct Counter {
  std::int64_t value = 0;
  std::string text;
};

std::optional<std::int64_t> largest(const std::vector<const Field*>& fields) {
  std::optional<std::int64_t> value;
  for (const Field* field : fields) {
    const auto number = integer_of(*field);
    if (number && (!value || *number > *value)) value = number;
  }
  return value;
}

std::optional<Counter> counter_at(const std::vector<ComponentView>& views,
                                  const std::string& path) {
  const auto value = largest(fields_at(views, path));
  if (!value) return std::nullopt;
  return Counter{*value, path + " = " + std::to_string(*value)};
}

std::optional<Counter> evaluate(const std::vector<ComponentView>& views, const JsonNode& term) {
  if (term.is_string()) return counter_at(views, term.as_string());
  if (const auto sum = term.find("sum")) {
    Counter total;
    bool any = false;
    for (const JsonNode& path : sum->elements()) {
      const auto part = counter_at(views, path.as_string());
      if (!part) continue;
      any = true;
      total.value += part->value;
      if (part->value != 0 || total.text.empty()) total.text = part->text;
    }
    return any ? std::optional(total) : std::nullopt;
  }
  auto counter = counter_at(views, term.at("field").as_string());
  const auto less = counter_at(views, term.at("minus").as_string());
  if (counter && less && less->value != 0) {
    counter->value -= less->value;
    counter->text += " less " + less->text;
  }
  return counter;
}

bool left_out(const JsonNode& rule, const std::vector<ComponentView>& views) {
  if (!rule.contains("several_optimizers")) {
    const auto optimizers = std::count_if(
        views.begin(), views.end(), [](const auto& view) { return view.kind == "optimizer"; });
    if (optimizers > 1) return true;
  }
  const auto unless = rule.find("unless");
  if (!unless) return false;
  const auto paths = unless->elements();
  return std::any_of(paths.begin(), paths.end(), [&](const JsonNode& path) {
    return !fields_at(views, path.as_string()).empty();
  });
}

bool has_leaf(const StateTree& tree, const std::string& name) {
  return std::any_of(tree.entries().begin(), tree.entries().end(), [&](const StateEntry& entry) {
    return entry.field.path.component() == "extra" && entry.field.path.leaf() == name;
  });
}

// Batches that a rank's loader has given out.
std::map<int, std::int64_t> positions(const ComponentView& loader) {
  std::map<int, std::int64_t> by_rank;
  const auto keys = state_contract("dataloader").at("position").elements();
  for (const ComponentField& at : loader.fields) {
    if (at.parts.empty() || !at.rank) continue;
    const bool counts = std::any_of(keys.begin(), keys.end(), [&](const JsonNode& key) {
      return key.as_string() == at.parts.back();
    });
    const auto value = integer_of(*at.field);
    if (counts && value) by_rank[*at.rank] += *value;
  }
  return by_rank;
}

void check_positions(const ComponentView& loader, ContractFindings& findings) {
  const auto by_rank = positions(loader);
  if (by_rank.size() < 2) return;
  const auto [low, high] =
      std::minmax_element(by_rank.begin(), by_rank.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; });
  if (low->second == high->second) return;
  findings.problems.push_back(
      {Problem::Kind::inconsistent, loader.name,
       "rank " + std::to_string(low->first) + " has given out " + std::to_string(low->second) +
           " batches, rank " + std::to_string(high->first) + " " + std::to_string(high->second) +
           ". " + state_contract("dataloader").at("ranks_differ").as_string()});
}

}  // namespace

std::optional<JsonNode> framework_of(const StateTree& tree, const std::string& format) {
  for (const JsonNode& framework : state_contract("loop").at("frameworks").elements()) {
    const JsonNode match = framework.at("match");
    const auto by_format = match.find("format");
    if (by_format && format.rfind(by_format->as_string(), 0) == 0) return framework;
    const auto by_field = match.find("field");
    if (by_field && tree.find(FieldPath(by_field->as_string())) != nullptr) return framework;
    const auto by_leaf = match.find("leaf");
    if (by_leaf && has_leaf(tree, by_leaf->as_string())) return framework;
  }
  return std::nullopt;
}

void check_framework_counters(const JsonNode& framework, const std::vector<ComponentView>& views,
                              ContractFindings& findings) {
  for (const JsonNode& rule : framework.at("equal").elements()) {
    if (left_out(rule, views)) continue;
    std::vector<Counter> counters;
    for (const JsonNode& term : rule.at("terms").elements()) {
      if (auto counter = evaluate(views, term)) counters.push_back(std::move(*counter));
    }
    const bool equal = std::all_of(counters.begin(), counters.end(), [&](const Counter& counter) {
      return counter.value == counters.front().value;
    });
    if (counters.size() < 2 || equal) continue;
    std::string text;
    for (const Counter& counter : counters) text += (text.empty() ? "" : ", but ") + counter.text;
    findings.problems.push_back({Problem::Kind::inconsistent,
                                 counters.front().text.substr(0, counters.front().text.find(' ')),
                                 text + ": " + rule.at("why").as_string()});
  }
}

void check_common_counters(const StateTree& tree, const std::vector<ComponentView>& views,
                           bool framework, ContractFindings& findings) {
  for (const ComponentView& view : views) {
    if (view.kind == "dataloader") check_positions(view, findings);
    if (view.kind != "optimizer") continue;
    const auto steps = optimizer_steps(tree, view.name);
    if (!steps || steps->lowest == steps->highest) continue;
    findings.warnings.push_back(steps->lowest_path + " = " + std::to_string(steps->lowest) + ", " +
                                steps->highest_path + " = " + std::to_string(steps->highest) +
                                ": " + state_contract("optimizer").at("steps_differ").as_string());
  }
  const auto step = checkpoint_step(tree);
  const auto steps = optimizer_steps(tree, "optimizer");
  if (framework || !step || !steps || step->source.rfind("loop/", 0) != 0 ||
      step->step == steps->mode)
    return;
  findings.warnings.push_back(step->source + " = " + std::to_string(step->step) +
                              ", optimizer/state/*/step = " + std::to_string(steps->mode) + ": " +
                              state_contract("loop").at("near_miss").as_string());
}

}  // namespace samestep
