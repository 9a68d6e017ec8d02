#include "capture/torch/module_walk.h"

namespace samestep::libtorch {
namespace {

void walk(const NamedModule& module, std::vector<NamedModule>& found) {
  found.push_back(module);
  for (const auto& child : module.module->named_children())
    walk({module.below(child.key()), child.value().get()}, found);
}

}  // namespace

std::vector<NamedModule> modules_of(::torch::nn::Module& root) {
  std::vector<NamedModule> found;
  walk({"", &root}, found);
  return found;
}

std::vector<NamedTensor> tensors_of(const NamedModule& module) {
  std::vector<NamedTensor> found;
  for (const auto& item : module.module->named_parameters(/*recurse=*/false))
    found.push_back({module.below(item.key()), item.value(), true});
  for (const auto& item : module.module->named_buffers(/*recurse=*/false))
    found.push_back({module.below(item.key()), item.value(), false});
  return found;
}

::torch::nn::Module* find_module(::torch::nn::Module& root, const std::string& name) {
  ::torch::nn::Module* module = &root;
  for (std::size_t begin = 0; begin < name.size();) {
    const std::size_t end = std::min(name.find('.', begin), name.size());
    const auto children = module->named_children();
    const auto* child = children.find(name.substr(begin, end - begin));
    if (child == nullptr) return nullptr;
    module = child->get();
    begin = end + 1;
  }
  return module;
}

std::optional<NamedTensor> find_tensor(::torch::nn::Module& root, const std::string& name) {
  const std::size_t dot = name.rfind('.');
  const bool own = dot == std::string::npos;
  const auto* module = find_module(root, own ? "" : name.substr(0, dot));
  if (module == nullptr) return std::nullopt;
  const std::string leaf = own ? name : name.substr(dot + 1);
  const auto parameters = module->named_parameters(/*recurse=*/false);
  if (const auto* found = parameters.find(leaf)) return NamedTensor{name, *found, true};
  const auto buffers = module->named_buffers(/*recurse=*/false);
  if (const auto* found = buffers.find(leaf)) return NamedTensor{name, *found, false};
  return std::nullopt;
}

}  // namespace samestep::libtorch
