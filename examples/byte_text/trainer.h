// A byte language model of one transformer layer, and a training loop that resumes bit for bit.
#pragma once

#include <torch/data/samplers/random.h>
#include <torch/nn/modules/dropout.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/normalization.h>
#include <torch/optim/adamw.h>
#include <torch/optim/schedulers/step_lr.h>

#include <cstdint>
#include <string>

#include "capture/torch/session.h"

struct ByteModelImpl : torch::nn::Module {
  ByteModelImpl();
  /// Bytes [rows, length] to the logits of the next ones [rows, length, 256].
  torch::Tensor forward(const torch::Tensor& bytes);

  torch::nn::Embedding byte, place;
  torch::nn::LayerNorm first_norm, second_norm;
  torch::nn::Linear attention, wide, narrow, head;
  torch::nn::Dropout drop;
};
TORCH_MODULE(ByteModel);

struct Settings {
  std::string text;   // the file that is learnt
  std::string fault;  // "schedule" or "streams": what the checkpoint forgets; empty: nothing
};

class Trainer {
 public:
  explicit Trainer(Settings settings);

  /// One optimizer step. False when an audit has seen enough.
  bool step();
  void save(const std::string& path);
  void restore(const std::string& path);
  samestep::libtorch::Session& session() { return session_; }

  std::int64_t steps_done() const { return steps_done_; }
  double loss() const { return loss_; }

 private:
  torch::Tensor next_rows();

  Settings settings_;
  torch::Tensor rows_;
  ByteModel model_;
  torch::optim::AdamW optimizer_;
  torch::optim::StepLR schedule_;
  torch::data::samplers::RandomSampler order_;
  std::int64_t steps_done_ = 0;
  double loss_ = 0;
  samestep::libtorch::Session session_;  // after all that it watches
};
