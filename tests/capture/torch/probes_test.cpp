// What the probes see of a trainer, and what they can put back.
#include "capture/torch/probes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schemas/error.h"
#include "tests/capture/torch/tiny_trainer.h"

namespace samestep::libtorch {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> paths_of(const StateTree& tree) {
  std::vector<std::string> paths;
  for (const StateEntry& entry : tree.entries()) paths.push_back(entry.field.path.text());
  return paths;
}

bool is_durable(const FieldPath& path) { return path.component_kind() != "gradients"; }

TEST(ProbesOfATrainer, NameFieldsAsAPythonTrainerDoes) {
  TinyTrainer trainer;
  trainer.steps(2);
  const auto paths = paths_of(trainer.snapshot());
  for (const char* path : {"rng/torch.cpu",
                           "model/first.weight",
                           "model/norm.running_mean",
                           "model/norm.num_batches_tracked",
                           "model/training",
                           "model/drop.training",
                           "gradients/last.bias",
                           "optimizer/state/first.weight/exp_avg",
                           "optimizer/state/last.bias/step",
                           "optimizer/param_groups/0/lr",
                           "optimizer/param_groups/0/betas/1",
                           "lr_scheduler/last_epoch",
                           "lr_scheduler/step_size",
                           "lr_scheduler.1/best",
                           "lr_scheduler.1/num_bad_epochs",
                           "lr_scheduler.1/mode",
                           "dataloader/sampler/index",
                           "dataloader/sampler/indices",
                           "rng/generator.noise",
                           "loop/cursor",
                           "loop/best",
                           "grad_scaler/scale",
                           "loop/stage",
                           "loop/losses/0",
                           "loop/centre"})
    EXPECT_THAT(paths, Contains(path));
}

TEST(ProbesOfATrainer, ReadTwiceWithoutAChangeBetween) {
  TinyTrainer trainer;
  trainer.steps(3);
  const auto first = trainer.snapshot();
  EXPECT_THAT(differing(first, trainer.snapshot()), IsEmpty());
}

TEST(ProbesOfATrainer, SayWhereASlotLiesByIndex) {
  TinyTrainer trainer;
  trainer.step();
  const auto tree = trainer.snapshot();
  const auto* slot = tree.find(FieldPath("optimizer/state/norm.weight/exp_avg_sq"));
  ASSERT_NE(slot, nullptr);
  EXPECT_EQ(slot->field.role, Role::moment);
  EXPECT_EQ(slot->field.traits.at("place"), "optimizer/state/2/exp_avg_sq");
}

class EachOptimizer : public ::testing::TestWithParam<std::size_t> {
 protected:
  OptimizerKind kind() const { return optimizer_kinds()[GetParam()]; }
};

TEST_P(EachOptimizer, GoesOnBitForBitAfterARestoreIntoANewTrainer) {
  TinyTrainer source(kind());
  source.steps(5);
  const auto saved = source.snapshot();
  source.steps(7);
  TinyTrainer target(kind(), 99);
  target.probes.set().restore(saved, "the test", is_durable);
  EXPECT_THAT(differing(saved, target.snapshot()),
              ::testing::Each(::testing::StartsWith("gradients/")));
  target.steps(7);
  EXPECT_THAT(differing(source.snapshot(), target.snapshot()), IsEmpty());
}

TEST_P(EachOptimizer, GoesBackToItsOwnEarlierState) {
  TinyTrainer trainer(kind());
  trainer.steps(2);
  const auto saved = trainer.snapshot();
  trainer.steps(3);
  const auto later = trainer.snapshot();
  trainer.probes.set().restore(saved, "the test");
  EXPECT_THAT(differing(saved, trainer.snapshot()), IsEmpty());
  trainer.steps(3);
  EXPECT_THAT(differing(later, trainer.snapshot()), IsEmpty());
}

TEST_P(EachOptimizer, LosesStaleStateWhenNoneWasSaved) {
  TinyTrainer fresh(kind()), stepped(kind());
  const auto saved = fresh.snapshot();
  stepped.steps(3);
  stepped.probes.set().restore(saved, "the test");
  EXPECT_THAT(differing(saved, stepped.snapshot()), IsEmpty());
  EXPECT_EQ(stepped.optimizer->state().size(), fresh.optimizer->state().size());
}

INSTANTIATE_TEST_SUITE_P(Optimizers, EachOptimizer,
                         ::testing::Range(std::size_t{0}, optimizer_kinds().size()),
                         [](const auto& test) { return optimizer_kinds()[test.param].name; });

}  // namespace
}  // namespace samestep::libtorch
