#include "capture/torch/parameter_names.h"

#include <torch/nn/module.h>

#include <set>

namespace samestep::libtorch {

void ParameterNames::add(std::string component, const ::torch::nn::Module& module) {
  modules_.emplace_back(std::move(component), &module);
}

void ParameterNames::add(std::string name, const at::Tensor& tensor) {
  tensors_.emplace_back(std::move(name), &tensor);
}

std::map<const void*, std::pair<std::string, std::string>> ParameterNames::known() const {
  std::map<const void*, std::pair<std::string, std::string>> names;
  for (const auto& [component, module] : modules_)
    for (const auto& parameter : module->named_parameters())
      names.try_emplace(parameter.value().unsafeGetTensorImpl(), component, parameter.key());
  for (const auto& [name, tensor] : tensors_)
    names.try_emplace(tensor->unsafeGetTensorImpl(), "extra", name);
  return names;
}

std::vector<std::string> ParameterNames::slot_names(
    const std::vector<at::Tensor>& parameters) const {
  const auto names = known();
  std::set<std::string> taken;
  std::vector<std::string> found;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto place = names.find(parameters[i].unsafeGetTensorImpl());
    if (place == names.end()) {
      found.push_back(std::to_string(i));
      continue;
    }
    const auto& [component, name] = place->second;
    found.push_back(taken.insert(name).second ? name
                                              : std::string(component).append(".").append(name));
  }
  return found;
}

}  // namespace samestep::libtorch
