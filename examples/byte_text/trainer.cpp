#include "trainer.h"

#include <torch/nn/functional/loss.h>
#include <torch/types.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "capture/torch/bundle.h"

namespace {

constexpr std::int64_t kLength = 32, kRowsPerStep = 8, kWidth = 32;

/// The text in rows of kLength bytes and the one that follows; its last odd bytes are left out.
torch::Tensor rows_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(file), {});
  const auto count = static_cast<std::int64_t>(text.size()) / (kLength + 1);
  if (count < kRowsPerStep) throw std::runtime_error(path + ": no text, or too short");
  return torch::from_blob(text.data(), {count, kLength + 1}, torch::kUInt8).to(torch::kInt64);
}

}  // namespace

ByteModelImpl::ByteModelImpl()
    : byte(register_module("byte", torch::nn::Embedding(256, kWidth))),
      place(register_module("place", torch::nn::Embedding(kLength, kWidth))),
      first_norm(register_module("first_norm",
                                 torch::nn::LayerNorm(torch::nn::LayerNormOptions({kWidth})))),
      second_norm(register_module("second_norm",
                                  torch::nn::LayerNorm(torch::nn::LayerNormOptions({kWidth})))),
      attention(register_module("attention", torch::nn::Linear(kWidth, 3 * kWidth))),
      wide(register_module("wide", torch::nn::Linear(kWidth, 4 * kWidth))),
      narrow(register_module("narrow", torch::nn::Linear(4 * kWidth, kWidth))),
      head(register_module("head", torch::nn::Linear(kWidth, 256))),
      drop(register_module("drop", torch::nn::Dropout(0.1))) {}

torch::Tensor ByteModelImpl::forward(const torch::Tensor& bytes) {
  auto x = byte(bytes) + place(torch::arange(bytes.size(1)));
  const auto parts = attention(first_norm(x)).chunk(3, -1);
  auto weights = torch::matmul(parts[0], parts[1].transpose(1, 2)) / std::sqrt(double(kWidth));
  const auto later = torch::ones({bytes.size(1), bytes.size(1)}, torch::kBool).triu(1);
  weights = torch::softmax(weights.masked_fill(later, -1e9), -1);
  x = x + drop(torch::matmul(weights, parts[2]));
  x = x + drop(narrow(torch::relu(wide(second_norm(x)))));
  return head(x);
}

Trainer::Trainer(Settings settings)
    : settings_(std::move(settings)),
      rows_(rows_of(settings_.text)),
      optimizer_(model_->parameters(), torch::optim::AdamWOptions(3e-3).weight_decay(0.01)),
      schedule_(optimizer_, /*step_size=*/20, /*gamma=*/0.7),
      order_(rows_.size(0)) {
  session_.watch("model", model_);
  session_.watch("optimizer", optimizer_);
  session_.watch("schedule", schedule_);
  session_.watch("order", order_);
  session_.watch("steps_done", &steps_done_);
}

torch::Tensor Trainer::next_rows() {
  auto picked = order_.next(kRowsPerStep);
  if (!picked) {
    order_.reset();  // the next epoch, in an order that the default generator draws
    picked = order_.next(kRowsPerStep);
  }
  const std::vector<std::int64_t> indices(picked->begin(), picked->end());
  return rows_.index_select(0, torch::tensor(indices));
}

bool Trainer::step() {
  const auto rows = next_rows();
  if (!session_.begin_step({rows})) return false;
  const auto logits = session_.forward("model", model_(rows.narrow(1, 0, kLength)));
  const auto loss = session_.loss(torch::nn::functional::cross_entropy(
      logits.flatten(0, 1), rows.narrow(1, 1, kLength).flatten()));
  optimizer_.zero_grad();
  loss.backward();
  optimizer_.step();
  schedule_.step();
  ++steps_done_;
  loss_ = loss.item<double>();
  return session_.end_step();
}

namespace {

/// What a checkpoint of this trainer does not hold.
samestep::libtorch::BundleOptions contents(const std::string& fault) {
  samestep::libtorch::BundleOptions options;
  if (fault == "schedule") options.leave_out = {"lr_scheduler"};
  if (fault == "streams") options.leave_out = {"rng"};
  return options;
}

}  // namespace

void Trainer::save(const std::string& path) {
  samestep::libtorch::save(path, session_, contents(settings_.fault));
  session_.checkpoint_written(path);
}

void Trainer::restore(const std::string& path) {
  samestep::libtorch::restore(path, session_, contents(settings_.fault));
}
