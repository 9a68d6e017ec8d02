#include "capture/torch/scheduler_probe.h"

#include <ATen/ops/ones.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/optim/schedulers/lr_scheduler.h>
#include <torch/optim/sgd.h>

#include "schemas/error.h"
#include "tests/capture/torch/tiny_trainer.h"

namespace samestep::libtorch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A schedule of a trainer's own: its rate grows, and it counts what the trainer tells it.
class Warmup : public ::torch::optim::LRScheduler {
 public:
  explicit Warmup(::torch::optim::Optimizer& optimizer) : LRScheduler(optimizer) {}
  void note(double value) { seen_ += value; }

  friend void samestep_fields(FieldVisitor& visit, Warmup& it) { visit("seen", it.seen_); }

 private:
  std::vector<double> get_lrs() override { return {1e-3 * (step_count_ + 1) + 1e-6 * seen_}; }
  double seen_ = 0;
};

class Schedules : public ::testing::Test {
 protected:
  StateTree now() const { return snapshot_of(probes_.set().read()); }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    const StateTree tree = now();
    for (const StateEntry& entry : tree.entries()) found.push_back(entry.field.path.text());
    return found;
  }

  at::Tensor weight_ = at::ones({2}).requires_grad_(true);
  ::torch::optim::SGD optimizer_{{weight_}, 0.1};
  Probes probes_{false};
};

TEST_F(Schedules, OfTheTrainersOwnHaveTheirCountAndTheirFields) {
  Warmup warmup(optimizer_);
  probes_.watch("warmup", warmup);
  EXPECT_THAT(names(), ElementsAre("lr_scheduler/last_epoch", "lr_scheduler/seen"));
  warmup.note(4);
  warmup.step();
  const StateTree saved = now();
  warmup.note(1);
  warmup.step();
  const double rate = optimizer_.param_groups()[0].options().get_lr();
  probes_.set().restore(saved, "the test");
  EXPECT_THAT(differing(saved, now()), IsEmpty());
  warmup.note(1);
  warmup.step();
  EXPECT_EQ(optimizer_.param_groups()[0].options().get_lr(), rate);
}

TEST_F(Schedules, OfAnotherConstantAreRefused) {
  ::torch::optim::StepLR schedule(optimizer_, 3, 0.5);
  probes_.watch("schedule", schedule);
  const StateTree saved = now();
  ::torch::optim::StepLR other(optimizer_, 4, 0.5);
  Probes probes(false);
  probes.watch("schedule", other);
  try {
    probes.set().restore(saved, "the test");
    FAIL() << "restored";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("lr_scheduler/step_size"));
  }
}

TEST_F(Schedules, OnAPlateauAreRestoredWithEachCounter) {
  using ::torch::optim::ReduceLROnPlateauScheduler;
  ReduceLROnPlateauScheduler plateau(optimizer_, ReduceLROnPlateauScheduler::max, 0.5f, 1);
  probes_.watch("plateau", plateau);
  plateau.step(3);
  plateau.step(2);
  const StateTree saved = now();
  plateau.step(1);
  const double reduced = optimizer_.param_groups()[0].options().get_lr();
  EXPECT_LT(reduced, 0.1);
  optimizer_.param_groups()[0].options().set_lr(0.1);
  probes_.set().restore(saved, "the test");
  plateau.step(1);
  EXPECT_EQ(optimizer_.param_groups()[0].options().get_lr(), reduced);
}

}  // namespace
}  // namespace samestep::libtorch
