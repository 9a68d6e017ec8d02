#include "resume_check/detached.h"

#include <gtest/gtest.h>

#include "tests/resume_check/fixture.h"

namespace samestep {
namespace {

using testing::Leg;
using testing::ramp;
using testing::State;

State model() { return State().parameter("model/w", ramp(8, 1)); }

State detached(std::int64_t count) {
  return model().value("optimizer/param_groups/0/params", Value(count), "detached");
}

std::vector<WeighedFinding> found(const State& captured, const State& restored) {
  const RankRecord before = Leg().capture(4, captured).record(),
                   after = Leg().capture(4, restored).record();
  const State file = model();
  const auto alignment = align(before.tree, file.tree());
  return detachments(fates_of(before, alignment, after));
}

TEST(Detached, AnOptimizerThatLostItsModelIsOneFinding) {
  const auto gaps = found(model(), detached(4));
  ASSERT_EQ(gaps.size(), 1u);
  EXPECT_EQ(gaps[0].finding.field, "optimizer/param_groups/0/params");
  EXPECT_EQ(gaps[0].finding.fate, Fate::not_applied);
  EXPECT_EQ(gaps[0].weight, Weight::confirmed);
  EXPECT_TRUE(gaps[0].finding.evidence[0].starts_with("in the resumed run it steps 4 tensors"));
}

TEST(Detached, OneThatIsSoInTheUninterruptedRunAloneIsToldAsWell) {
  const auto gaps = found(detached(1), model());
  ASSERT_EQ(gaps.size(), 1u);
  EXPECT_TRUE(
      gaps[0].finding.evidence[0].starts_with("in the uninterrupted run alone it steps 1 tensor "));
}

TEST(Detached, WhereBothAreSoTheResumeIsNotToBlame) {
  EXPECT_TRUE(found(detached(4), detached(4)).empty());
  EXPECT_TRUE(found(model(), model()).empty());
}

}  // namespace
}  // namespace samestep
