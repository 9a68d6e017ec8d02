// A trainer on libtorch that is small enough to be run a hundred times: a model with batch
// normalisation and dropout, an optimizer, a schedule, a sampler and a cursor.
#pragma once

#include <ATen/CPUGeneratorImpl.h>
#include <torch/data/samplers/random.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/schedulers/reduce_on_plateau_scheduler.h>
#include <torch/optim/schedulers/step_lr.h>
#include <torch/utils.h>

#include <functional>
#include <memory>
#include <string>

#include "capture/torch/probes.h"
#include "capture/torch/session.h"

namespace samestep::libtorch {

struct TinyNetImpl : ::torch::nn::Module {
  TinyNetImpl()
      : first(register_module("first", ::torch::nn::Linear(4, 6))),
        norm(register_module("norm", ::torch::nn::BatchNorm1d(6))),
        drop(register_module("drop", ::torch::nn::Dropout(0.25))),
        last(register_module("last", ::torch::nn::Linear(6, 3))) {}
  at::Tensor forward(const at::Tensor& x) {
    return last->forward(drop->forward(at::relu(norm->forward(first->forward(x)))));
  }
  ::torch::nn::Linear first;
  ::torch::nn::BatchNorm1d norm;
  ::torch::nn::Dropout drop;
  ::torch::nn::Linear last;
};
TORCH_MODULE(TinyNet);

using MakeOptimizer =
    std::function<std::unique_ptr<::torch::optim::Optimizer>(std::vector<at::Tensor>)>;

struct OptimizerKind {
  std::string name;
  MakeOptimizer make;
};
/// Every optimizer of libtorch, with the options that make it keep all the state it can.
std::vector<OptimizerKind> optimizer_kinds();
OptimizerKind adamw_kind();

struct TinyTrainer {
  explicit TinyTrainer(const OptimizerKind& kind = adamw_kind(), std::uint64_t seed = 7);

  void watch_all(Probes& target);
  /// One step; draws its batch from the sampler and a private stream.
  void step();
  void steps(int count);
  /// All fields, with bytes of their own.
  StateTree snapshot() const { return snapshot_of(probes.set().read()); }

  TinyNet net;
  std::unique_ptr<::torch::optim::Optimizer> optimizer;
  ::torch::optim::StepLR schedule;
  ::torch::optim::ReduceLROnPlateauScheduler plateau;
  ::torch::data::samplers::RandomSampler sampler;
  at::Generator noise;
  std::int64_t cursor = 0;
  double best = 1e9;
  float scale = 1024;
  std::string stage = "warm";
  std::vector<double> losses{0.0};
  at::Tensor centre;
  Probes probes;
  Session* told = nullptr;  ///< of each step's boundaries
};

/// Paths whose digests differ, or that one side lacks.
std::vector<std::string> differing(const StateTree& a, const StateTree& b);

}  // namespace samestep::libtorch
