// The probe of a libtorch optimizer: slots by the parameter's name, and the options of each group.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "capture/probe.h"

namespace torch::optim {
class Optimizer;
class OptimizerParamState;
}  // namespace torch::optim

namespace samestep::libtorch {

class ParameterNames;

/// The empty state of a parameter.
using MakeState = std::function<std::unique_ptr<::torch::optim::OptimizerParamState>()>;

/// Fields `<component>/state/layers.0.weight/exp_avg` and `<component>/param_groups/0/betas/1`, as
/// Python's optimizers have them. State that is not there yet (a new optimizer) is made when it is
/// written, and state that is there and was not saved is erased. An optimizer of a class of the
/// trainer's own is read and written through the serialize() of its state and options; its state
/// can only be made by `make_state`, or once one of its parameters has some. `names` must outlive
/// the probe.
std::unique_ptr<Probe> optimizer_probe(std::string component, ::torch::optim::Optimizer& optimizer,
                                       const ParameterNames& names, MakeState make_state = {});

}  // namespace samestep::libtorch
