#include "capture/torch/step_boundaries.h"

#include <ATen/ops/arange.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capture/torch/tensor_digest.h"
#include "tests/capture/torch/tiny_trainer.h"

namespace samestep::libtorch {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> names(const PhaseDigests& phases) {
  std::vector<std::string> found;
  for (const auto& [name, digest] : phases) found.push_back(name);
  return found;
}

TEST(BoundariesOfAStep, NameGradientsByTheirParameter) {
  EXPECT_EQ(gradient_phase(FieldPath("gradients/layers.0.weight")), "grad:layers.0.weight");
  EXPECT_EQ(gradient_phase(FieldPath("gradients.1/w")), "grad:model.1.w");
}

TEST(BoundariesOfAStep, AreGradientsThenParametersThenSlots) {
  TinyTrainer trainer;
  trainer.step();
  const StateTree now = trainer.snapshot();
  EXPECT_THAT(names(gradient_phases(now)),
              ElementsAre("grad:first.weight", "grad:first.bias", "grad:norm.weight",
                          "grad:norm.bias", "grad:last.weight", "grad:last.bias"));
  const auto after = names(optimizer_phases(now));
  ASSERT_EQ(after.size(), 6u + 6u * 3u);
  EXPECT_EQ(after.front(), "optimizer:model/first.weight");
  EXPECT_EQ(after.back(), "optimizer:optimizer/state/last.bias/exp_avg_sq");
}

TEST(BoundariesOfAStep, HaveTheDigestOfTheTensor) {
  TinyTrainer trainer;
  trainer.step();
  EXPECT_EQ(gradient_phases(trainer.snapshot()).front().second,
            digest_of(trainer.net->first->weight.grad()));
}

TEST(BoundariesOfAStep, KnowTheNextBatchByItsTensorsInTheirOrder) {
  const at::Tensor x = at::arange(3), y = at::arange(4);
  const auto of = [](std::vector<at::Tensor> batch) {
    return std::get<std::string>(*next_batch_entry(batch).field.value);
  };
  EXPECT_EQ(of({x}), digest_text(x));
  EXPECT_NE(of({x, y}), of({y, x}));
  EXPECT_EQ(next_batch_entry({x}).field.path.text(), "dataloader/next_batch");
}

}  // namespace
}  // namespace samestep::libtorch
