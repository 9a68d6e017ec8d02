#include "capture/torch/dead_gradients.h"

#include <ATen/ops/ones.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/capture/torch/stand_in_device.h"

namespace samestep::libtorch {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class GradientsOfACapture : public ::testing::TestWithParam<at::DeviceType> {
 protected:
  GradientsOfACapture() {
    backward();
    dead_.remember({{"gradients/w", w_}});
  }
  void backward() { (w_ * 2).sum().backward(); }

  at::Tensor w_ = at::ones({3}).to(GetParam()).requires_grad_(true);
  DeadGradients dead_;
};

TEST_P(GradientsOfACapture, AreAliveWhenABackwardAddsToThem) {
  backward();
  EXPECT_THAT(dead_.take(true), IsEmpty());
}

TEST_P(GradientsOfACapture, AreDeadWhenTheyAreZeroedBeforeIt) {
  w_.mutable_grad() = at::Tensor();
  EXPECT_THAT(dead_.take(false), IsEmpty());
  backward();
  EXPECT_THAT(dead_.take(false), ElementsAre("gradients/w"));
  EXPECT_THAT(dead_.take(true), IsEmpty());
}

TEST_P(GradientsOfACapture, AreDeadWhenTheStepEndsWithoutThem) {
  w_.mutable_grad().zero_();
  EXPECT_THAT(dead_.take(true), ElementsAre("gradients/w"));
}

TEST_P(GradientsOfACapture, AreNotWatchedOnceEverybodyHasForgottenThem) {
  { DeadGradients other = DeadGradients(); }
  w_.mutable_grad().zero_();
  dead_.remember({});
  backward();
  EXPECT_THAT(dead_.take(true), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Devices, GradientsOfACapture,
                         ::testing::Values(at::kCPU, c10::kPrivateUse1),
                         [](const auto& test) { return c10::DeviceTypeName(test.param); });

TEST(GradientsOfADevice, AreRememberedWithoutAWait) {
  at::Tensor w = at::ones({3}).to(stand_in::kDevice).requires_grad_(true);
  (w * 2).sum().backward();
  const std::size_t waits = stand_in::waits_for_the_trainer();
  DeadGradients dead;
  dead.remember({{"gradients/w", w}});
  EXPECT_THAT(dead.take(true), IsEmpty());
  EXPECT_EQ(stand_in::waits_for_the_trainer(), waits);
}

}  // namespace
}  // namespace samestep::libtorch
