// The cells of an optimizer's state of one parameter, and of the options of a group.
#pragma once

#include <torch/optim/optimizer.h>

#include <memory>

#include "capture/cell.h"

namespace samestep::libtorch {

std::unique_ptr<Cell> cell_of_state(::torch::optim::OptimizerParamState& state);
std::unique_ptr<Cell> cell_of_options(::torch::optim::OptimizerOptions& options);
/// New state as libtorch's own optimizer with such options would make it; null for an unknown one.
std::unique_ptr<::torch::optim::OptimizerParamState> new_state(
    const ::torch::optim::OptimizerOptions& options);

}  // namespace samestep::libtorch
