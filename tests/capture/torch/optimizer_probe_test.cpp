#include "capture/torch/optimizer_probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/optim/adam.h>

#include "schemas/error.h"
#include "tests/capture/torch/own_optimizer.h"
#include "tests/capture/torch/tiny_trainer.h"

namespace samestep::libtorch {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

OptimizerKind lion_kind() {
  return {"Lion", [](std::vector<at::Tensor> parameters) {
            return std::make_unique<Lion>(std::move(parameters));
          }};
}

/// A net and an optimizer of the trainer's own.
struct WithLion {
  explicit WithLion(bool says_how) : optimizer(net->parameters()) {
    probes.watch("model", net);
    if (says_how)
      probes.watch("optimizer", optimizer, [] { return std::make_unique<LionState>(); });
    else
      probes.watch("optimizer", optimizer);
  }
  void step() {
    optimizer.zero_grad();
    net->last->forward(net->first->forward(at::ones({2, 4}))).sum().backward();
    optimizer.step();
  }
  StateTree now() const { return snapshot_of(probes.set().read()); }

  TinyNet net;
  Lion optimizer;
  Probes probes;
};

bool is_no_gradient(const FieldPath& path) { return path.component_kind() != "gradients"; }

TEST(AnOptimizerOfTheTrainersOwn, IsReadThroughItsSerialize) {
  WithLion trainer(false);
  trainer.step();
  const StateTree now = trainer.now();
  const auto* momentum = now.find(FieldPath("optimizer/state/first.weight/momentum"));
  ASSERT_NE(momentum, nullptr);
  EXPECT_EQ(momentum->field.shape, (std::vector<std::int64_t>{6, 4}));
  const auto* step = now.find(FieldPath("optimizer/state/first.weight/step"));
  ASSERT_NE(step, nullptr);
  EXPECT_EQ(step->field.role, Role::step_counter);
  EXPECT_NE(now.find(FieldPath("optimizer/param_groups/0/beta")), nullptr);
}

TEST(AnOptimizerOfTheTrainersOwn, IsRestoredBeforeItsFirstStepWhereItSaysHowStateIsMade) {
  WithLion source(true), target(true);
  source.step();
  static_cast<LionOptions&>(source.optimizer.param_groups()[0].options()).beta = 0.5;
  const StateTree saved = source.now();
  target.probes.set().restore(saved, "the test", is_no_gradient);
  source.step();
  target.step();
  EXPECT_THAT(differing(source.now(), target.now()), IsEmpty());
}

TEST(AnOptimizerOfTheTrainersOwn, IsRefusedWithARemedyWhereItDoesNot) {
  WithLion source(false), target(false);
  source.step();
  try {
    target.probes.set().restore(source.now(), "the test", is_no_gradient);
    FAIL() << "restored";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("watch it with a make_state"));
  }
  target.step();
  target.probes.set().restore(source.now(), "the test", is_no_gradient);
  EXPECT_THAT(differing(source.now(), target.now()), Each(StartsWith("gradients/")));
}

TEST(SlotsOfAnOptimizer, OfAnotherShapeThanTheirParameterAreRefused) {
  TinyTrainer trainer;
  trainer.step();
  const StateTree now = trainer.snapshot();
  StateEntry entry = *now.find(FieldPath("optimizer/state/last.bias/exp_avg"));
  entry.field.path = FieldPath("optimizer/state/first.bias/exp_avg");
  EXPECT_THROW(trainer.probes.set().write(entry), Error);
}

TEST(SlotsOfAnOptimizer, AreFoundInEachGroup) {
  TinyNet net;
  ::torch::optim::Adam adam({::torch::optim::OptimizerParamGroup(net->first->parameters()),
                             ::torch::optim::OptimizerParamGroup(net->last->parameters())},
                            ::torch::optim::AdamOptions(1e-2));
  Probes probes;
  probes.watch("model", net);
  probes.watch("optimizer", adam);
  static_cast<::torch::optim::AdamOptions&>(adam.param_groups()[1].options()).lr(5e-3);
  net->last->forward(net->first->forward(at::ones({2, 4}))).sum().backward();
  adam.step();
  const StateTree now = snapshot_of(probes.set().read());
  EXPECT_EQ(now.find(FieldPath("optimizer/state/last.bias/exp_avg"))->field.traits.at("place"),
            "optimizer/state/3/exp_avg");
  EXPECT_EQ(*now.find(FieldPath("optimizer/param_groups/1/lr"))->field.value, Value(5e-3));
}

TEST(TwoOptimizers, AreNumberedInTheOrderOfTheCalls) {
  TinyTrainer trainer, other(lion_kind());
  trainer.probes.watch("second", *other.optimizer);
  EXPECT_EQ(trainer.probes.optimizers().at(1).first, "optimizer.1");
}

}  // namespace
}  // namespace samestep::libtorch
