// StateContracts: what a component must hold to be resumable. Data: one JSON file a component,
// compiled in.
#pragma once

#include <string_view>
#include <vector>

#include "schemas/json/node.h"

namespace samestep {

/// Component kinds that have a contract ("optimizer", "lr_scheduler", ...), sorted.
std::vector<std::string_view> state_contract_names();
/// The parsed contract of one of them (SAMESTEP_CHECK). Parsed once; thread-safe.
const JsonNode& state_contract(std::string_view component);

}  // namespace samestep
