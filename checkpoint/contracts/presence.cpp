#include "checkpoint/contracts/presence.h"

#include <algorithm>
#include <set>

#include "schemas/contracts/state_contracts.h"

namespace samestep {
namespace {

bool has_kind(const std::vector<ComponentView>& views, std::string_view kind) {
  return std::any_of(views.begin(), views.end(),
                     [&](const auto& view) { return view.kind == kind; });
}

bool has_stream(const std::vector<ComponentView>& views, const std::string& stream) {
  return std::any_of(views.begin(), views.end(), [&](const ComponentView& view) {
    return view.kind == "rng" &&
           std::any_of(view.fields.begin(), view.fields.end(), [&](const ComponentField& at) {
             return !at.parts.empty() && at.parts.front().rfind(stream, 0) == 0;
           });
  });
}

bool any_on_device(const std::vector<ComponentView>& views, const std::string& device) {
  return std::any_of(views.begin(), views.end(), [&](const ComponentView& view) {
    return view.kind == "model" &&
           std::any_of(view.fields.begin(), view.fields.end(), [&](const ComponentField& at) {
             return at.field->layout.device.rfind(device, 0) == 0;
           });
  });
}

std::set<int> ranks_of(const std::vector<ComponentView>& views, bool random) {
  std::set<int> ranks;
  for (const ComponentView& view : views) {
    if ((view.kind == "rng") != random) continue;
    for (const ComponentField& at : view.fields) {
      if (at.rank && view.kind != "extra") ranks.insert(*at.rank);
    }
  }
  return ranks;
}

void check_streams(const std::vector<ComponentView>& views, ContractFindings& findings) {
  const JsonNode contract = state_contract("rng");
  for (const JsonNode& stream : contract.at("streams").elements()) {
    const std::string& name = stream.at("name").as_string();
    if (!has_stream(views, name))
      findings.absent.push_back({"rng/" + name, stream.at("absent").as_string()});
  }
  const JsonNode device = contract.at("device_stream");
  if (any_on_device(views, device.at("device").as_string()) &&
      !has_stream(views, device.at("name").as_string())) {
    findings.absent.push_back(
        {"rng/" + device.at("name").as_string(), device.at("absent").as_string()});
  }
  const std::set<int> random = ranks_of(views, true), others = ranks_of(views, false);
  if (!random.empty() && others.size() > random.size() &&
      std::includes(others.begin(), others.end(), random.begin(), random.end())) {
    findings.warnings.emplace_back("rng: " + contract.at("ranks").as_string());
  }
}

}  // namespace

void check_presence(const std::vector<ComponentView>& views,
                    const std::optional<JsonNode>& framework, ContractFindings& findings) {
  const auto why = [&](const std::string& component, const JsonNode& general) {
    const auto own = framework ? framework->at("absent").find(component) : std::nullopt;
    return (own ? *own : general).as_string();
  };
  for (const char* component : {"optimizer", "lr_scheduler", "dataloader", "loop"}) {
    if (has_kind(views, component)) continue;
    findings.absent.push_back({component, why(component, state_contract(component).at("absent"))});
  }
  if (has_kind(views, "rng")) return check_streams(views, findings);
  findings.absent.push_back({"rng", why("rng", state_contract("rng").at("none"))});
}

}  // namespace samestep
