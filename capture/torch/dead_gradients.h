// DeadGradients: gradients of a capture that are cleared before anything is added to them.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace at {
class Tensor;
}

namespace samestep::libtorch {

/// In the order forward, zero_grad, backward a step begins with the gradients of the last one,
/// which nobody will use: no state. Watches, with a hook on each parameter until its next backward,
/// what becomes of them. Safe against a backward in other threads.
class DeadGradients {
 public:
  DeadGradients();
  ~DeadGradients();

  /// The parameters that have a gradient now; `path` is that of the gradient's field.
  void remember(const std::vector<std::pair<std::string, at::Tensor>>& parameters);
  /// Paths of those found dead since the last call. `step_ended`: also of those that no backward
  /// has reached and that are no longer what they were.
  std::vector<std::string> take(bool step_ended);

 private:
  struct Watch;
  std::shared_ptr<Watch> watch_;
};

}  // namespace samestep::libtorch
