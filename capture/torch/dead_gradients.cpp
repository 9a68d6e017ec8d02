#include "capture/torch/dead_gradients.h"

#include <ATen/core/Tensor.h>

#include <mutex>
#include <optional>
#include <utility>

#include "capture/torch/tensor_digest.h"

namespace samestep::libtorch {

struct DeadGradients::Watch {
  struct Held {
    std::string path;
    at::Tensor parameter;
    std::string digest;
    unsigned hook = 0;
    bool waits = true;  // for the first backward that reaches it
  };

  std::mutex mutex;
  std::vector<Held> held;
  std::vector<std::string> dead;

  static bool is_same(const Held& item) {
    const at::Tensor& gradient = item.parameter.grad();
    return gradient.defined() && digest_text(gradient) == item.digest;
  }

  /// A backward has reached the parameter and is about to add to its gradient.
  void reached(std::size_t index) {
    const std::lock_guard lock(mutex);
    if (index >= held.size() || !held[index].waits) return;
    held[index].waits = false;
    if (!is_same(held[index])) dead.push_back(held[index].path);
  }

  void forget() {
    for (Held& item : held) item.parameter.remove_hook(item.hook);
    held.clear();
  }
};

DeadGradients::DeadGradients() : watch_(std::make_shared<Watch>()) {}
DeadGradients::~DeadGradients() {
  const std::lock_guard lock(watch_->mutex);
  watch_->forget();
}

void DeadGradients::remember(const std::vector<std::pair<std::string, at::Tensor>>& parameters) {
  const std::lock_guard lock(watch_->mutex);
  watch_->forget();
  for (const auto& [path, parameter] : parameters) {
    if (!parameter.requires_grad() || !parameter.grad().defined()) continue;
    const std::size_t index = watch_->held.size();
    const std::weak_ptr<Watch> link = watch_;
    const unsigned hook = parameter.register_hook([link, index](const at::Tensor&) {
      if (const auto watch = link.lock()) watch->reached(index);
    });
    watch_->held.push_back({path, parameter, digest_text(parameter.grad()), hook});
  }
}

std::vector<std::string> DeadGradients::take(bool step_ended) {
  const std::lock_guard lock(watch_->mutex);
  bool waits = false;
  for (Watch::Held& item : watch_->held) {
    if (step_ended && item.waits && !Watch::is_same(item)) {
      item.waits = false;
      watch_->dead.push_back(item.path);
    }
    waits = waits || item.waits;
  }
  if (step_ended && !waits) watch_->forget();
  return std::exchange(watch_->dead, {});
}

}  // namespace samestep::libtorch
