#include "resume_check/starting_step.h"

#include <gtest/gtest.h>

#include "tests/resume_check/fixture.h"

namespace samestep {
namespace {

using testing::Leg;
using testing::ramp;
using testing::State;

State at_step(int model, int slots) {
  return State()
      .parameter("model/a", ramp(8, model))
      .parameter("model/b", ramp(8, 20 + model))
      .slot("a", "exp_avg", 0, ramp(8, 40 + slots));
}

std::optional<WrongStart> start_of(const State& file, const State& restored) {
  Leg leg, resumed;
  leg.begin(0, at_step(0, 0))
      .begin(3, at_step(3, 3))
      .capture(4, at_step(4, 4))
      .begin(5, at_step(5, 5));
  resumed.capture(4, restored);
  const RankRecord before = leg.record(), after = resumed.record();
  const auto alignment = align(before.tree, file.tree());
  return wrong_start(fates_of(before, alignment, after), Movement(before.log), 4);
}

TEST(StartingStep, AFreshStartIsWrong) {
  const auto wrong = start_of(at_step(4, 4), at_step(0, 0));
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->step, 0);
  EXPECT_NE(wrong->evidence.find("step 0"), std::string::npos);
}

TEST(StartingStep, AnotherCheckpointIsWrong) {
  EXPECT_EQ(start_of(at_step(4, 4), at_step(3, 3))->step, 3);
}

TEST(StartingStep, OneLostComponentIsAGap) {
  EXPECT_FALSE(start_of(at_step(4, 4), at_step(4, 0)));
  EXPECT_FALSE(start_of(at_step(4, 4), at_step(0, 4)));
}

TEST(StartingStep, AFileThatIsWrongIsNoWrongStart) {
  EXPECT_FALSE(start_of(at_step(5, 5), at_step(5, 5)));
}

TEST(StartingStep, ValuesOfNoKnownStepAreGaps) {
  EXPECT_FALSE(start_of(at_step(4, 4), at_step(77, 77)));
}

}  // namespace
}  // namespace samestep
