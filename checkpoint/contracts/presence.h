// Components that a resumed run would want and the checkpoint does not hold.
#pragma once

#include <optional>

#include "checkpoint/contracts.h"
#include "checkpoint/contracts/component_view.h"
#include "schemas/json/node.h"

namespace samestep {

/// `framework`: its entry of loop.json, whose sentences go before the general ones.
void check_presence(const std::vector<ComponentView>& views,
                    const std::optional<JsonNode>& framework, ContractFindings& findings);

}  // namespace samestep
