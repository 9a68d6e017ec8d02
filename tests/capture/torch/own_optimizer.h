// An optimizer of a trainer's own, as libtorch's own are written: the sign of a momentum.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>
#include <torch/optim/optimizer.h>
#include <torch/serialize/archive.h>

#include <memory>
#include <utility>
#include <vector>

namespace samestep::libtorch {

struct LionOptions : ::torch::optim::OptimizerCloneableOptions<LionOptions> {
  double lr = 1e-3, beta = 0.9;

  double get_lr() const override { return lr; }
  void set_lr(const double value) override { lr = value; }
  void serialize(::torch::serialize::OutputArchive& archive) const override {
    archive.write("lr", c10::IValue(lr));
    archive.write("beta", c10::IValue(beta));
  }
  void serialize(::torch::serialize::InputArchive& archive) override {
    c10::IValue value;
    archive.read("lr", value);
    lr = value.toDouble();
    archive.read("beta", value);
    beta = value.toDouble();
  }
};

struct LionState : ::torch::optim::OptimizerCloneableParamState<LionState> {
  at::Tensor momentum;
  std::int64_t step = 0;

  void serialize(::torch::serialize::OutputArchive& archive) const override {
    archive.write("momentum", momentum);
    archive.write("step", c10::IValue(step));
  }
  void serialize(::torch::serialize::InputArchive& archive) override {
    archive.read("momentum", momentum);
    c10::IValue value;
    archive.read("step", value);
    step = value.toInt();
  }
};

class Lion : public ::torch::optim::Optimizer {
 public:
  explicit Lion(std::vector<at::Tensor> parameters)
      : Optimizer({::torch::optim::OptimizerParamGroup(std::move(parameters))},
                  std::make_unique<LionOptions>()) {}

  at::Tensor step(LossClosure closure = nullptr) override {
    at::Tensor loss;
    if (closure) loss = closure();
    const c10::AutoGradMode no_grad(false);
    for (auto& group : param_groups_)
      for (at::Tensor& parameter : group.params())
        if (parameter.grad().defined())
          update(parameter, static_cast<LionOptions&>(group.options()));
    return loss;
  }

 private:
  void update(at::Tensor& parameter, const LionOptions& options) {
    auto& place = state_[parameter.unsafeGetTensorImpl()];
    if (!place) {
      auto made = std::make_unique<LionState>();
      made->momentum = at::zeros_like(parameter);
      place = std::move(made);
    }
    auto& state = static_cast<LionState&>(*place);
    ++state.step;
    state.momentum.mul_(options.beta).add_(parameter.grad(), 1 - options.beta);
    parameter.sub_(state.momentum.sign(), options.lr);
  }
};

}  // namespace samestep::libtorch
