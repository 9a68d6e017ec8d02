// Counters that must agree with each other.
#pragma once

#include <optional>

#include "checkpoint/contracts.h"
#include "checkpoint/contracts/component_view.h"
#include "schemas/json/node.h"

namespace samestep {

/// The entry of loop.json for the framework that wrote the checkpoint, recognised by its format or
/// by a field.
std::optional<JsonNode> framework_of(const StateTree& tree, const std::string& format);

/// The framework's rules: a problem for each rule whose counters differ.
void check_framework_counters(const JsonNode& framework, const std::vector<ComponentView>& views,
                              ContractFindings& findings);
/// Of any checkpoint: steps within one optimizer, steps of loop and optimizer, loader positions of
/// the ranks.
void check_common_counters(const StateTree& tree, const std::vector<ComponentView>& views,
                           bool framework, ContractFindings& findings);

}  // namespace samestep
