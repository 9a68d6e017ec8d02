#include "checkpoint/naming/step.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "checkpoint/naming/scalar.h"
#include "schemas/count_text.h"

namespace samestep {
namespace {

// Counters of the whole run before counters that may be of an epoch or of micro-batches.
constexpr std::array<std::string_view, 15> kLoopCounters{
    "global_step", "global_steps", "optimizer_steps", "optimizer_step", "iteration",  "train_step",
    "num_updates", "updates",      "iter_num",        "step",           "iterations", "update",
    "iter",        "it",           "completed"};

std::optional<CheckpointStep> loop_step(const StateTree& tree) {
  for (const std::string_view name : kLoopCounters) {
    const StateEntry* entry = tree.find(FieldPath::of({"loop", name}));
    if (entry == nullptr) continue;
    const auto value = integer_of(entry->field);
    if (value && *value >= 0) return CheckpointStep{*value, entry->field.path.text()};
  }
  return std::nullopt;
}

// The slot `step` of a state; not what else counts there (LBFGS counts its inner iterations).
bool is_step(const FieldPath& path) {
  const std::string leaf = path.leaf();
  return leaf.substr(0, leaf.find('#')) == "step";
}

bool near(std::int64_t a, std::int64_t b) {
  const std::int64_t distance = a < b ? b - a : a - b;
  return distance <= std::max<std::int64_t>(2, std::max(a, b) / 20);
}

}  // namespace

std::optional<OptimizerSteps> optimizer_steps(const StateTree& tree, const std::string& component) {
  const std::string prefix = component + "/state/";
  std::map<std::int64_t, std::size_t> frequency;
  OptimizerSteps steps;
  for (const StateEntry& entry : tree.entries()) {
    const std::string& text = entry.field.path.text();
    if (text.compare(0, prefix.size(), prefix) != 0 || !is_step(entry.field.path)) continue;
    const auto value = integer_of(entry.field);
    if (!value) continue;
    if (steps.counters == 0 || *value < steps.lowest)
      steps.lowest = *value, steps.lowest_path = text;
    if (steps.counters == 0 || *value > steps.highest)
      steps.highest = *value, steps.highest_path = text;
    ++steps.counters;
    ++frequency[*value];
  }
  if (steps.counters == 0) return std::nullopt;
  steps.mode =
      std::max_element(frequency.begin(), frequency.end(), [](const auto& a, const auto& b) {
        return a.second < b.second;
      })->first;
  return steps;
}

std::optional<CheckpointStep> checkpoint_step(const StateTree& tree) {
  const auto loop = loop_step(tree);
  const auto optimizer = optimizer_steps(tree, "optimizer");
  if (!optimizer) return loop;
  const CheckpointStep counted{
      optimizer->mode,
      "optimizer/state/*/step (" + count_text(optimizer->counters, "counter") + ")"};
  if (!loop) return counted;
  if (loop->step == optimizer->mode || near(loop->step, optimizer->mode)) return loop;
  return counted;
}

}  // namespace samestep
