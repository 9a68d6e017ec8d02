// ParameterNames: what the parameters of the watched modules are called.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace at {
class Tensor;
}
namespace torch::nn {
class Module;
}

namespace samestep::libtorch {

/// Asked anew each time: modules may grow. A tied parameter has its first name.
class ParameterNames {
 public:
  /// `component`: "model", "model.1", ... The module must outlive this.
  void add(std::string component, const ::torch::nn::Module& module);
  /// A trained tensor that no module holds.
  void add(std::string name, const at::Tensor& tensor);

  /// Names for the slots of an optimizer over these parameters, in their order: the parameter's own
  /// name; "component.name" where an earlier one of these has that name; its index where it has
  /// none.
  std::vector<std::string> slot_names(const std::vector<at::Tensor>& parameters) const;

 private:
  /// By the identity of the tensor: component and name.
  std::map<const void*, std::pair<std::string, std::string>> known() const;

  std::vector<std::pair<std::string, const ::torch::nn::Module*>> modules_;
  std::vector<std::pair<std::string, const at::Tensor*>> tensors_;
};

}  // namespace samestep::libtorch
