#include "capture/torch/loans.h"

#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <c10/core/InferenceMode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace samestep::libtorch {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class LentTensors : public ::testing::Test {
 protected:
  LentTensors() {
    loans_.add("a", a_);
    loans_.add("b", b_);
  }
  at::Tensor a_ = at::ones({3}), b_ = at::ones({3});
  Loans loans_;
};

TEST_F(LentTensors, ThatStayAsTheyAreSayNothing) { EXPECT_THAT(loans_.settle(2), IsEmpty()); }

TEST_F(LentTensors, ThatAreWrittenToAreNamed) {
  EXPECT_THAT(loans_.changed(), IsEmpty());
  b_.mul_(2);
  EXPECT_THAT(loans_.changed(), ElementsAre("b"));
  EXPECT_THAT(loans_.settle(2), ElementsAre("b"));
}

TEST_F(LentTensors, ThatAreWrittenToThroughAnotherHandleAreNamed) {
  a_.detach().view({3, 1}).add_(1);
  EXPECT_THAT(loans_.settle(2), ElementsAre("a"));
}

TEST_F(LentTensors, ThatAreGivenOtherMemoryAreNamed) {
  a_.set_data(at::zeros({3}));
  EXPECT_THAT(loans_.settle(2), ElementsAre("a"));
}

TEST_F(LentTensors, MayChangeOnceTheyAreSettled) {
  EXPECT_THAT(loans_.settle(1), IsEmpty());
  a_.mul_(2);
  EXPECT_THAT(loans_.changed(), IsEmpty());
  EXPECT_THAT(loans_.settle(2), IsEmpty());
}

TEST_F(LentTensors, AreLetGoOfWhenTheyAreSettled) {
  const auto before = a_.use_count();
  loans_.settle(1);
  EXPECT_EQ(a_.use_count(), before - 1);
  loans_.clear();
  EXPECT_EQ(loans_.size(), 0U);
  EXPECT_EQ(b_.use_count(), 1U);
}

TEST(ATensor, OfWhichNoWriteCountsIsNotLent) {
  EXPECT_TRUE(Loans::may_lend(at::ones({1})));
  const c10::InferenceMode guard;
  EXPECT_FALSE(Loans::may_lend(at::ones({1})));
}

}  // namespace
}  // namespace samestep::libtorch
