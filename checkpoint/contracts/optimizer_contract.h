// Which optimizer a component is, and whether it holds each slot that this optimizer keeps.
#pragma once

#include "checkpoint/contracts.h"
#include "checkpoint/contracts/component_view.h"

namespace samestep {

/// Name of the kind ("AdamW") by the keys of the first group; empty where they tell none.
std::string optimizer_kind(const ComponentView& optimizer);
/// Adds warnings about slots that are missing and states that are, and a note with the kind.
void check_optimizer(const ComponentView& optimizer, ContractFindings& findings);

}  // namespace samestep
