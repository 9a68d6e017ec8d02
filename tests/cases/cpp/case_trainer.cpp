#include "case_trainer.h"

#include <torch/serialize.h>
#include <torch/types.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>

#include "capture/torch/bundle.h"
#include "ranks.h"

namespace {

constexpr int kContext = 16, kBatch = 4, kRows = 6 * kBatch, kWidth = 16;

torch::Tensor rows_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> text(std::size_t{kRows} * (kContext + 1));
  if (!file.read(text.data(), static_cast<std::streamsize>(text.size()))) {
    std::cerr << path << ": too short\n";
    std::exit(2);
  }
  const auto bytes = torch::from_blob(text.data(), {kRows, kContext + 1}, torch::kUInt8);
  return bytes.to(torch::kInt64);
}

torch::optim::AdamWOptions adamw(double weight_decay) {
  return torch::optim::AdamWOptions(4e-3).weight_decay(weight_decay);
}

std::vector<torch::Tensor> parameters_of(const Net& net, bool swapped) {
  auto parameters = net->parameters();
  // query and key have the same shapes: no size check sees that they changed places.
  if (swapped) {
    std::swap(parameters[1], parameters[3]);
    std::swap(parameters[2], parameters[4]);
  }
  return parameters;
}

}  // namespace

NetImpl::NetImpl(double dropped)
    : byte(register_module("byte", torch::nn::Embedding(256, kWidth))),
      query(register_module("query", torch::nn::Linear(kWidth, kWidth))),
      key(register_module("key", torch::nn::Linear(kWidth, kWidth))),
      norm(register_module("norm", torch::nn::BatchNorm1d(kContext))),
      drop(register_module("drop", torch::nn::Dropout(dropped))),
      head(register_module("head", torch::nn::Linear(kWidth, 256))) {}

torch::Tensor NetImpl::forward(const torch::Tensor& bytes) {
  auto x = byte(bytes);
  const auto weights = torch::softmax(
      torch::matmul(query(x), key(x).transpose(1, 2)).tril() / std::sqrt(double(kWidth)), -1);
  x = x + drop(torch::matmul(weights, norm(x)));
  return head(x);
}

CaseTrainer::CaseTrainer(CaseOptions options)
    : options_(std::move(options)),
      rows_(rows_of(options_.text)),
      net_(is("next-epoch-order") ? 0.0 : 0.2),
      optimizer_(parameters_of(net_, is("swapped-parameters") && options_.resumes), adamw(0.05)),
      schedule_(optimizer_, 3, 0.5),
      sampler_(kRows) {
  session_.watch("model", net_);
  session_.watch("optimizer", optimizer_);
  session_.watch("schedule", schedule_);
  session_.watch("sampler", sampler_);
  session_.watch("step", &step_);
  share(net_->parameters());
}

/// Ranks draw different weights and rows, and train one model.
void CaseTrainer::share(const std::vector<torch::Tensor>& tensors) {
  if (options_.ranks) options_.ranks->average(tensors);
}

torch::Tensor CaseTrainer::next_rows() {
  auto picked = sampler_.next(kBatch);
  if (!picked) {
    sampler_.reset();
    picked = sampler_.next(kBatch);
  }
  std::vector<std::int64_t> indices(picked->begin(), picked->end());
  return rows_.index_select(0, torch::tensor(indices));
}

std::vector<torch::Tensor> CaseTrainer::what_ranks_share() const {
  std::vector<torch::Tensor> shared{net_->norm->running_mean, net_->norm->running_var};
  for (const auto& parameter : net_->parameters()) shared.push_back(parameter.grad());
  return shared;
}

bool CaseTrainer::step() {
  const auto rows = next_rows();
  const auto x = rows.narrow(1, 0, kContext), y = rows.narrow(1, 1, kContext);
  if (!session_.begin_step({rows})) return false;
  const auto logits = session_.forward("head", net_(x));
  const auto loss = session_.loss(torch::cross_entropy_loss(logits.flatten(0, 1), y.flatten()));
  optimizer_.zero_grad();
  loss.backward();
  if (is("dies") && step_ == 5) throw std::runtime_error("this rank is out of memory");
  share(what_ranks_share());
  session_.before_optimizer_step();
  optimizer_.step();
  schedule_.step();
  ++step_;
  loss_ = loss.item<double>();
  return session_.end_step();
}

void CaseTrainer::save(const std::string& folder) {
  std::filesystem::create_directories(folder);
  if (is("empty-archive")) optimizer_.state().clear();  // the moments start anew
  if (!options_.ranks || options_.ranks->rank() == 0) {
    torch::save(net_, folder + "/model.pt");
    torch::save(optimizer_, folder + "/optimizer.pt");
    torch::save(torch::tensor(step_), folder + "/step.pt");
  }
  samestep::libtorch::save(bundle_in(folder), session_, {left_out()});
  if (options_.ranks) options_.ranks->meet();
  session_.checkpoint_written(folder);
}

/// Each rank has its own.
std::string CaseTrainer::bundle_in(const std::string& folder) const {
  if (!options_.ranks) return folder + "/rest.samestep";
  return folder + "/rest.rank-" + std::to_string(options_.ranks->rank()) + ".samestep";
}

void CaseTrainer::restore(const std::string& folder) {
  if (is("empty-archive")) warm_up();
  torch::load(net_, folder + "/model.pt");
  torch::load(optimizer_, folder + "/optimizer.pt");
  torch::Tensor step;
  torch::load(step, folder + "/step.pt");
  step_ = step.item<std::int64_t>();
  samestep::libtorch::restore(bundle_in(folder), session_, {left_out()});
  // A constructor that knows only its own default writes it into the groups restored above.
  if (is("weight-decay-overwritten"))
    static_cast<torch::optim::AdamWOptions&>(optimizer_.param_groups()[0].options())
        .weight_decay(adamw(0.01).weight_decay());
}

/// What a trainer does to find out how much memory it needs.
void CaseTrainer::warm_up() {
  net_(rows_.narrow(0, 0, kBatch).narrow(1, 0, kContext)).sum().backward();
  optimizer_.step();
  optimizer_.zero_grad();
}

/// What is not in the bundle: the archives' own, and what the fault forgets.
std::vector<std::string> CaseTrainer::left_out() const {
  std::vector<std::string> components{"model", "optimizer", "loop"};
  if (is("scheduler-lost")) components.push_back("lr_scheduler");
  if (is("rng-lost") || is("next-epoch-order")) components.push_back("rng");
  if (is("cursor-lost")) components.push_back("dataloader");
  return components;
}
