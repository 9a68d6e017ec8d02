#include "tests/capture/torch/tiny_trainer.h"

#include <torch/optim/adagrad.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/lbfgs.h>
#include <torch/optim/rmsprop.h>
#include <torch/optim/sgd.h>

#include <set>

namespace samestep::libtorch {

namespace optim = ::torch::optim;
namespace {

template <typename Optimizer, typename Options>
OptimizerKind kind_of(std::string name, Options options) {
  return {std::move(name), [options](std::vector<at::Tensor> parameters) {
            return std::make_unique<Optimizer>(std::move(parameters), options);
          }};
}

}  // namespace

OptimizerKind adamw_kind() {
  return kind_of<optim::AdamW>("AdamW", optim::AdamWOptions(1e-2).weight_decay(0.1));
}

std::vector<OptimizerKind> optimizer_kinds() {
  return {
      kind_of<optim::SGD>("SGD", optim::SGDOptions(1e-2)),
      kind_of<optim::SGD>("SGDMomentum", optim::SGDOptions(1e-2).momentum(0.9).nesterov(true)),
      kind_of<optim::Adam>("Adam", optim::AdamOptions(1e-2)),
      kind_of<optim::Adam>("AdamAmsgrad", optim::AdamOptions(1e-2).amsgrad(true)),
      adamw_kind(),
      kind_of<optim::AdamW>("AdamWAmsgrad", optim::AdamWOptions(1e-2).amsgrad(true)),
      kind_of<optim::RMSprop>("RMSprop", optim::RMSpropOptions(1e-3)),
      kind_of<optim::RMSprop>("RMSpropCentered",
                              optim::RMSpropOptions(1e-3).momentum(0.9).centered(true)),
      kind_of<optim::Adagrad>("Adagrad", optim::AdagradOptions(1e-2).lr_decay(1e-3)),
      kind_of<optim::LBFGS>("LBFGS", optim::LBFGSOptions(1e-2).max_iter(3).history_size(4)),
      kind_of<optim::LBFGS>("LBFGSWolfe",
                            optim::LBFGSOptions(1e-2).max_iter(3).line_search_fn("strong_wolfe")),
  };
}

TinyTrainer::TinyTrainer(const OptimizerKind& kind, std::uint64_t seed)
    : net((::torch::manual_seed(seed), TinyNet())),
      optimizer(kind.make(net->parameters())),
      schedule(*optimizer, 3, 0.5),
      plateau(*optimizer, optim::ReduceLROnPlateauScheduler::min, 0.5f, 1),
      sampler(16),
      noise(at::detail::createCPUGenerator(seed + 1)),
      centre(at::zeros({3})) {
  watch_all(probes);
}

void TinyTrainer::watch_all(Probes& target) {
  target.watch("model", net);
  target.watch("optimizer", *optimizer);
  target.watch("schedule", schedule);
  target.watch("plateau", plateau);
  target.watch("sampler", sampler);
  target.watch("noise", noise);
  target.watch("cursor", &cursor);
  target.watch("best", &best);
  target.watch("grad_scaler/scale", &scale);
  target.watch("stage", &stage);
  target.watch("losses", &losses);
  target.watch("centre", &centre);
}

void TinyTrainer::step() {
  auto indices = sampler.next(4);
  if (!indices) {
    sampler.reset();
    indices = sampler.next(4);
  }
  std::vector<std::int64_t> rows(indices->begin(), indices->end());
  const at::Tensor index = ::torch::tensor(rows);
  const at::Tensor x = at::stack({index % 3, index % 5, index % 7, index}, 1).to(at::kFloat) +
                       at::randn({4, 4}, noise);
  const at::Tensor y = index % 3;
  if (told) told->begin_step({x, y});
  const at::Tensor loss = optimizer->step([&] {
    optimizer->zero_grad();
    at::Tensor output = net->forward(x);
    if (told) told->forward("net", output);
    at::Tensor value = at::cross_entropy_loss(output, y);
    if (told) told->loss(value);
    value.backward();
    return value;
  });
  schedule.step();
  losses.push_back(loss.item<double>());
  best = std::min(best, losses.back());
  plateau.step(static_cast<float>(losses.back()));
  centre = centre * 0.9 + net->last->bias.detach() * 0.1;
  scale *= 1.5f;
  stage = cursor > 2 ? "hot" : "warm";
  ++cursor;
  if (told) told->end_step();
}

void TinyTrainer::steps(int count) {
  for (int i = 0; i < count; ++i) step();
}

std::vector<std::string> differing(const StateTree& a, const StateTree& b) {
  std::set<std::string> paths;
  const auto compare = [&](const StateTree& one, const StateTree& other) {
    for (const StateEntry& entry : one.entries()) {
      const StateEntry* found = other.find(entry.field.path);
      if (!found || found->field.digest != entry.field.digest)
        paths.insert(entry.field.path.text());
    }
  };
  compare(a, b);
  compare(b, a);
  return {paths.begin(), paths.end()};
}

}  // namespace samestep::libtorch
