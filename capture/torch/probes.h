// Probes: what a C++ trainer has, as it says itself: probes.watch("optimizer", optimizer).
#pragma once

#include <ATen/core/Tensor.h>

#include <concepts>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "capture/cell.h"
#include "capture/probe_set.h"
#include "capture/torch/archive_cell.h"
#include "capture/torch/parameter_names.h"
#include "capture/torch/tensor_cell.h"

namespace at {
struct Generator;
}
namespace torch::nn {
class Module;
template <typename Contained>
class ModuleHolder;
}  // namespace torch::nn
namespace torch::optim {
class Optimizer;
class OptimizerParamState;
class LRScheduler;
class ReduceLROnPlateauScheduler;
}  // namespace torch::optim
namespace torch::data::samplers {
template <typename BatchRequest>
class Sampler;
}

namespace samestep::libtorch {

/// Whether T is a sampler of libtorch or of the trainer's own, whatever it yields.
template <typename T>
concept AnySampler = requires {
  typename T::BatchRequestType;
}
&&std::derived_from<T, ::torch::data::samplers::Sampler<typename T::BatchRequestType>>;

/// Everything watched must outlive this, at the same address: declare it after what it watches.
/// Names of fields are those of a Python trainer with the same state; a second object of a kind is
/// numbered ("optimizer.1") in the order of the calls, which must be the same in a resumed run.
/// Watching reads nothing. Not thread-safe.
class Probes {
 public:
  /// With the process-wide random streams, unless told otherwise.
  explicit Probes(bool with_default_generators = true);

  /// A module: `model/...`; named "ema..." it is an average: `ema/...`. Also its gradients.
  void watch(const std::string& name, ::torch::nn::Module& module);
  template <typename Contained>
  void watch(const std::string& name, const ::torch::nn::ModuleHolder<Contained>& holder) {
    watch(name, static_cast<::torch::nn::Module&>(*holder.ptr()));
  }
  /// Slots are named by the parameters of the modules that are watched by the time of reading.
  void watch(const std::string& name, ::torch::optim::Optimizer& optimizer);
  /// An optimizer of the trainer's own: its state and options are read and written by their
  /// serialize(). `make_state`: the empty state of a parameter, for a restore before the first
  /// step.
  void watch(const std::string& name, ::torch::optim::Optimizer& optimizer,
             std::function<std::unique_ptr<::torch::optim::OptimizerParamState>()> make_state);
  /// `lr_scheduler/...`. Of a derived class only the count of steps is seen, unless it has a
  /// samestep_fields() of its own.
  template <std::derived_from<::torch::optim::LRScheduler> T>
  void watch(const std::string& name, T& scheduler) {
    if constexpr (HasFields<T>)
      watch_scheduler(name, scheduler, cell_of(scheduler));
    else
      watch_scheduler(name, scheduler, nullptr);
  }
  void watch(const std::string& name, ::torch::optim::ReduceLROnPlateauScheduler& scheduler);
  /// A stream of the trainer's own: `rng/generator.<name>`.
  void watch(const std::string& name, const at::Generator& generator);
  /// `dataloader/<name>/...`: what its save() writes.
  template <AnySampler T>
  void watch(const std::string& name, T& sampler) {
    add_cell(sampler_place(name), saved_cell_of(sampler));
  }
  /// Anything that has a cell (capture/cell.h): numbers, text, tensors, structures. `loop/<name>`,
  /// or the component that the name begins with: "grad_scaler/scale".
  template <typename T>
  requires requires(T& thing) { CellFor<T>::make(thing); }
  void watch(const std::string& name, T* thing) {
    note_tensor(name, thing);
    add_cell(place_for(name), cell_of(*thing));
  }
  /// A probe of the trainer's own.
  void watch(std::unique_ptr<Probe> probe);

  ProbeSet& set() noexcept { return set_; }
  const ProbeSet& set() const noexcept { return set_; }
  /// Modules and optimizers by component ("model", "optimizer.1"), in the order of the calls.
  const std::vector<std::pair<std::string, ::torch::nn::Module*>>& modules() const noexcept {
    return modules_;
  }
  const std::vector<std::pair<std::string, ::torch::optim::Optimizer*>>& optimizers()
      const noexcept {
    return optimizers_;
  }
  const ParameterNames& names() const noexcept { return names_; }
  /// All parameters of the modules, by the path that a gradient of theirs has.
  std::vector<std::pair<std::string, at::Tensor>> parameters() const;
  /// Those that have a gradient now.
  std::vector<std::pair<std::string, at::Tensor>> gradients() const;

 private:
  std::string numbered(const std::string& kind);
  void watch_scheduler(const std::string& name, ::torch::optim::LRScheduler& scheduler,
                       std::unique_ptr<Cell> own);
  void add_cell(FieldPlace place, std::unique_ptr<Cell> cell);
  static FieldPlace place_for(const std::string& name);
  static FieldPlace sampler_place(const std::string& name);
  void note_tensor(const std::string& name, const at::Tensor* tensor);
  void note_tensor(const std::string&, const void*) {}

  ProbeSet set_;
  ParameterNames names_;
  std::map<std::string, int> counts_;
  std::vector<std::pair<std::string, ::torch::nn::Module*>> modules_;
  std::vector<std::pair<std::string, ::torch::optim::Optimizer*>> optimizers_;
};

}  // namespace samestep::libtorch
