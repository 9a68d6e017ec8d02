#include "checkpoint/contracts.h"

#include <algorithm>
#include <tuple>

#include "checkpoint/contracts/component_view.h"
#include "checkpoint/contracts/counters.h"
#include "checkpoint/contracts/keyed_contract.h"
#include "checkpoint/contracts/optimizer_contract.h"
#include "checkpoint/contracts/presence.h"

namespace samestep {
namespace {

bool is_training_state(const std::vector<ComponentView>& views) {
  return std::any_of(views.begin(), views.end(), [](const ComponentView& view) {
    return view.kind == "model" || view.kind == "optimizer" || view.kind == "rng" ||
           view.kind == "lr_scheduler";
  });
}

void sort(ContractFindings& findings) {
  std::sort(findings.absent.begin(), findings.absent.end(), [](const auto& a, const auto& b) {
    return std::tie(a.what, a.why) < std::tie(b.what, b.why);
  });
  findings.absent.erase(
      std::unique(findings.absent.begin(), findings.absent.end(),
                  [](const auto& a, const auto& b) { return a.what == b.what && a.why == b.why; }),
      findings.absent.end());
  std::sort(findings.warnings.begin(), findings.warnings.end());
  std::sort(findings.problems.begin(), findings.problems.end(), [](const auto& a, const auto& b) {
    return std::tie(a.where, a.message) < std::tie(b.where, b.message);
  });
}

}  // namespace

ContractFindings check_contracts(const StateTree& tree, const std::string& format) {
  ContractFindings findings;
  const auto views = component_views(tree);
  if (!is_training_state(views)) return findings;
  for (const ComponentView& view : views) {
    if (view.kind == "optimizer") check_optimizer(view, findings);
    if (view.kind == "lr_scheduler" || view.kind == "grad_scaler") check_keys(view, findings);
    if (view.kind == "lr_scheduler") check_schedule(view, views, findings);
    if (view.kind == "ema") check_average(view, findings);
    if (view.kind == "dataloader") check_loader(view, findings);
  }
  const auto framework = framework_of(tree, format);
  if (framework) {
    findings.notes.emplace_back("written by " + framework->at("name").as_string());
    check_framework_counters(*framework, views, findings);
  }
  check_common_counters(tree, views, framework.has_value(), findings);
  check_presence(views, framework, findings);
  sort(findings);
  return findings;
}

}  // namespace samestep
