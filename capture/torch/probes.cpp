#include "capture/torch/probes.h"

#include <torch/optim/optimizer.h>

#include <utility>

#include "capture/cell_probe.h"
#include "capture/torch/generator_probe.h"
#include "capture/torch/module_probe.h"
#include "capture/torch/module_walk.h"
#include "capture/torch/optimizer_probe.h"
#include "capture/torch/scheduler_probe.h"

namespace samestep::libtorch {
namespace {

/// "model.1" -> ".1".
std::string number_of_component(const std::string& component) {
  const std::size_t dot = component.find('.');
  return dot == std::string::npos ? "" : component.substr(dot);
}

}  // namespace

Probes::Probes(bool with_default_generators) {
  if (with_default_generators) set_.add(default_generators_probe());
}

std::string Probes::numbered(const std::string& kind) {
  const int count = counts_[kind]++;
  return count == 0 ? kind : kind + "." + std::to_string(count);
}

void Probes::watch(const std::string& name, ::torch::nn::Module& module) {
  const bool average = name.starts_with("ema");
  const std::string component = numbered(average ? "ema" : "model");
  set_.add(module_probe(component, module, average ? Role::average : Role::other));
  if (average) return;
  names_.add(component, module);
  modules_.emplace_back(component, &module);
  set_.add(gradient_probe("gradients" + number_of_component(component), module));
}

void Probes::watch(const std::string& name, ::torch::optim::Optimizer& optimizer) {
  watch(name, optimizer, {});
}

void Probes::watch(
    const std::string&, ::torch::optim::Optimizer& optimizer,
    std::function<std::unique_ptr<::torch::optim::OptimizerParamState>()> make_state) {
  const std::string component = numbered("optimizer");
  optimizers_.emplace_back(component, &optimizer);
  set_.add(optimizer_probe(component, optimizer, names_, std::move(make_state)));
}

void Probes::watch(const std::string&, ::torch::optim::ReduceLROnPlateauScheduler& scheduler) {
  set_.add(scheduler_probe(numbered("lr_scheduler"), scheduler));
}

void Probes::watch_scheduler(const std::string&, ::torch::optim::LRScheduler& scheduler,
                             std::unique_ptr<Cell> own) {
  set_.add(scheduler_probe(numbered("lr_scheduler"), scheduler, std::move(own)));
}

void Probes::watch(const std::string& name, const at::Generator& generator) {
  set_.add(generator_probe(name, generator));
}

void Probes::watch(std::unique_ptr<Probe> probe) { set_.add(std::move(probe)); }

void Probes::add_cell(FieldPlace place, std::unique_ptr<Cell> cell) {
  set_.add(std::make_unique<CellProbe>(std::move(place), std::move(cell)));
}

FieldPlace Probes::place_for(const std::string& name) { return watched_place(name); }

FieldPlace Probes::sampler_place(const std::string& name) {
  return {{"dataloader", name}, Role::cursor, {{"declared", "loader"}}};
}

std::vector<std::pair<std::string, at::Tensor>> Probes::parameters() const {
  std::vector<std::pair<std::string, at::Tensor>> found;
  for (const auto& [component, module] : modules_)
    for (const NamedModule& part : modules_of(*module))
      for (const NamedTensor& item : tensors_of(part))
        if (item.is_parameter)
          found.emplace_back(
              FieldPath::of({"gradients" + number_of_component(component), item.name}).text(),
              item.tensor);
  return found;
}

std::vector<std::pair<std::string, at::Tensor>> Probes::gradients() const {
  auto found = parameters();
  std::erase_if(found, [](const auto& item) { return !item.second.grad().defined(); });
  return found;
}

void Probes::note_tensor(const std::string& name, const at::Tensor* tensor) {
  names_.add(name, *tensor);
}

}  // namespace samestep::libtorch
