// Byte language model in a plain libtorch loop, with one fault built in; without it the checkpoint
// holds everything that evolves.
#pragma once

#include <torch/data/samplers/random.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/adamw.h>
#include <torch/optim/schedulers/step_lr.h>

#include <string>

#include "capture/torch/session.h"

class Ranks;

struct NetImpl : torch::nn::Module {
  explicit NetImpl(double dropped);
  torch::Tensor forward(const torch::Tensor& bytes);

  torch::nn::Embedding byte;
  torch::nn::Linear query, key;
  torch::nn::BatchNorm1d norm;
  torch::nn::Dropout drop;
  torch::nn::Linear head;
};
TORCH_MODULE(Net);

struct CaseOptions {
  std::string text;        // the file that it learns
  std::string fault;       // empty: none
  bool resumes = false;    // built to go on from a checkpoint
  Ranks* ranks = nullptr;  // of a training of several processes
};

class CaseTrainer {
 public:
  explicit CaseTrainer(CaseOptions options);

  /// False when the session says stop.
  bool step();
  void save(const std::string& folder);
  void restore(const std::string& folder);
  samestep::libtorch::Session& session() { return session_; }
  std::int64_t steps_done() const { return step_; }
  double loss() const { return loss_; }

 private:
  bool is(const std::string& fault) const { return options_.fault == fault; }
  torch::Tensor next_rows();
  void share(const std::vector<torch::Tensor>& tensors);
  std::vector<torch::Tensor> what_ranks_share() const;
  std::string bundle_in(const std::string& folder) const;
  void warm_up();
  std::vector<std::string> left_out() const;

  CaseOptions options_;
  torch::Tensor rows_;
  Net net_;
  torch::optim::AdamW optimizer_;
  torch::optim::StepLR schedule_;
  torch::data::samplers::RandomSampler sampler_;
  std::int64_t step_ = 0;
  double loss_ = 0;
  samestep::libtorch::Session session_;
};
