// What lies in a module and its submodules, by dotted names, in order of registration.
#pragma once

#include <torch/nn/module.h>

#include <optional>
#include <string>
#include <vector>

namespace samestep::libtorch {

struct NamedTensor {
  std::string name;
  at::Tensor tensor;
  bool is_parameter = true;
};

struct NamedModule {
  std::string name;  ///< "" for the root, "layers.0"
  ::torch::nn::Module* module = nullptr;

  /// The dotted name of something in it.
  std::string below(const std::string& own) const { return name.empty() ? own : name + "." + own; }
};

/// The root first, each module before its children.
std::vector<NamedModule> modules_of(::torch::nn::Module& root);
/// Own defined parameters, then own defined buffers.
std::vector<NamedTensor> tensors_of(const NamedModule& module);
/// By dotted name; nothing and null where there is none. The root's name is "".
std::optional<NamedTensor> find_tensor(::torch::nn::Module& root, const std::string& name);
::torch::nn::Module* find_module(::torch::nn::Module& root, const std::string& name);

}  // namespace samestep::libtorch
