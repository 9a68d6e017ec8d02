#include "capture/torch/dead_gradients.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>

#include "capture/torch/tensor_digest.h"

namespace samestep::libtorch {

struct DeadGradients::Watch {
  /// What a gradient is at a moment. On the host its elements count; of a device, which would have
  /// to be waited for, the tensor and how often it was written to.
  class Mark {
   public:
    explicit Mark(const at::Tensor& gradient) : of_(gradient.getIntrusivePtr()) {
      if (gradient.is_cpu())
        digest_ = digest_text(gradient);
      else
        version_ = gradient._version();
    }

    bool is_of(const at::Tensor& gradient) const {
      if (!gradient.defined()) return false;
      if (gradient.is_cpu()) return digest_ == digest_text(gradient);
      return of_._unsafe_get_target() == gradient.unsafeGetTensorImpl() && !of_.expired() &&
             version_ == gradient._version();
    }

   private:
    c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl> of_;
    std::string digest_;
    std::int64_t version_ = 0;
  };

  struct Held {
    std::string path;
    at::Tensor parameter;
    Mark mark;
    unsigned hook = 0;
    bool waits = true;  // for the first backward that reaches it
  };

  std::mutex mutex;
  std::vector<Held> held;
  std::vector<std::string> dead;

  static bool is_same(const Held& item) { return item.mark.is_of(item.parameter.grad()); }

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
    watch_->held.push_back({path, parameter, Watch::Mark(parameter.grad()), hook});
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
