// Components that are one dict of keys: schedules, loss scalers, averages, loaders.
#pragma once

#include "checkpoint/contracts.h"
#include "checkpoint/contracts/component_view.h"

namespace samestep {

/// The kind of `component` by its contract's `kinds` and the keys that this kind needs and the
/// component lacks.
void check_keys(const ComponentView& component, ContractFindings& findings);
/// A schedule that is a plain function; a rate in the optimizer that the schedule did not set.
void check_schedule(const ComponentView& schedule, const std::vector<ComponentView>& all,
                    ContractFindings& findings);
void check_average(const ComponentView& average, ContractFindings& findings);
void check_loader(const ComponentView& loader, ContractFindings& findings);

}  // namespace samestep
