#include "capture/torch/dead_gradients.h"

#include <ATen/ops/ones.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace samestep::libtorch {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class GradientsOfACapture : public ::testing::Test {
 protected:
  GradientsOfACapture() {
    backward();
    dead_.remember({{"gradients/w", w_}});
  }
  void backward() { (w_ * 2).sum().backward(); }

  at::Tensor w_ = at::ones({3}).requires_grad_(true);
  DeadGradients dead_;
};

TEST_F(GradientsOfACapture, AreAliveWhenABackwardAddsToThem) {
  backward();
  EXPECT_THAT(dead_.take(true), IsEmpty());
}

TEST_F(GradientsOfACapture, AreDeadWhenTheyAreZeroedBeforeIt) {
  w_.mutable_grad() = at::Tensor();
  EXPECT_THAT(dead_.take(false), IsEmpty());
  backward();
  EXPECT_THAT(dead_.take(false), ElementsAre("gradients/w"));
  EXPECT_THAT(dead_.take(true), IsEmpty());
}

TEST_F(GradientsOfACapture, AreDeadWhenTheStepEndsWithoutThem) {
  w_.mutable_grad().zero_();
  EXPECT_THAT(dead_.take(true), ElementsAre("gradients/w"));
}

TEST_F(GradientsOfACapture, AreNotWatchedOnceEverybodyHasForgottenThem) {
  { DeadGradients other = DeadGradients(); }
  w_.mutable_grad().zero_();
  dead_.remember({});
  backward();
  EXPECT_THAT(dead_.take(true), IsEmpty());
}

}  // namespace
}  // namespace samestep::libtorch
