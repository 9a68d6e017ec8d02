// Observer: hears what a trainer tells its session, where it tells it. For the in-process twin.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace samestep::libtorch {

/// The calls of Session, in the thread of the caller. What one throws reaches the trainer, but for
/// end(), which may be called where nothing can be thrown.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void begin(at::ArrayRef<at::Tensor> batch) = 0;
  virtual void end() noexcept = 0;
  virtual void loss(const at::Tensor& loss) = 0;
  virtual void forward(const std::string& module, const at::Tensor& output) = 0;
  virtual void restored(const std::string& path) = 0;
};

}  // namespace samestep::libtorch
