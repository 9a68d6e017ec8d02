// The probe of a module: parameters, buffers, and the training flag of each submodule.
#pragma once

#include <memory>
#include <string>

#include "capture/probe.h"

namespace torch::nn {
class Module;
}

namespace samestep::libtorch {

/// Fields `<component>/layers.0.weight`, `<component>/layers.0.training`, and
/// `<component>/layers.0.weight.requires_grad` of frozen parameters, in order of registration.
/// `role` is that of parameters and buffers (average, for a copy that is only read) when it is not
/// Role::other.
std::unique_ptr<Probe> module_probe(std::string component, ::torch::nn::Module& module,
                                    Role role = Role::other);

/// The probe of the gradients that are there: `gradients/layers.0.weight`.
std::unique_ptr<Probe> gradient_probe(std::string component, ::torch::nn::Module& module);

}  // namespace samestep::libtorch
