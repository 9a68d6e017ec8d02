#include "resume_check/compare.h"

#include <gtest/gtest.h>

#include "tests/resume_check/fixture.h"

namespace samestep {
namespace {

using testing::ramp;
using testing::scalar;
using testing::State;

TEST(Diff, EqualTreesAreTheSame) {
  const auto state = State().parameter("model/w", ramp(8, 1)).attribute("ema/updates", 4);
  const auto report = diff_trees(state.tree(), state.tree());
  EXPECT_EQ(report.verdict, Verdict::same);
  EXPECT_EQ(report.coverage.fields_equal, 2u);
  EXPECT_TRUE(report.findings.empty());
}

TEST(Diff, EachDifferenceIsAFinding) {
  const auto source = State()
                          .parameter("model/w", ramp(8, 1))
                          .parameter("model/a", ramp(8, 3))
                          .slot("w", "step", 0, scalar(4));
  const auto target = State()
                          .parameter("model/w", ramp(8, 2))
                          .parameter("model/b", ramp(8, 3))
                          .value("optimizer/state/w/step", Value(std::int64_t{4}), "");
  const auto report = diff_trees(source.tree(), target.tree());
  EXPECT_EQ(report.verdict, Verdict::diverged);
  ASSERT_EQ(report.findings.size(), 4u);
  EXPECT_EQ(report.findings[0].fate, Fate::missing);
  EXPECT_EQ(report.findings[1].fate, Fate::extra);
  EXPECT_EQ(report.findings[2].kind, FindingKind::divergence);
  ASSERT_TRUE(report.findings[2].difference);
  EXPECT_EQ(report.findings[2].difference->elements, 8u);
  EXPECT_EQ(report.findings[3].grade, Grade::warning) << "a step in another representation";
}

TEST(Diff, LayoutIsANote) {
  const auto source = State().parameter("model/w", ramp(8, 1));
  StateTree other = source.tree();
  other.entries()[0].field.layout.strides = {2};
  const auto report = diff_trees(source.tree(), other);
  EXPECT_EQ(report.verdict, Verdict::same);
  EXPECT_EQ(report.coverage.ignored.at("layout in memory"), 1u);
}

TEST(Diff, NothingToCompareIsUndecided) {
  EXPECT_EQ(diff_trees(StateTree{}, StateTree{}).verdict, Verdict::undecided);
}

TEST(Diff, OneFieldDiffersSeveralDiffer) {
  const auto two = State().parameter("model/a", ramp(8, 1)).parameter("model/b", ramp(8, 2));
  const auto one = State().parameter("model/a", ramp(8, 3)).parameter("model/b", ramp(8, 2));
  const auto none = State().parameter("model/a", ramp(8, 3)).parameter("model/b", ramp(8, 4));
  EXPECT_EQ(diff_trees(two.tree(), one.tree()).reason, "1 field differs");
  EXPECT_EQ(diff_trees(two.tree(), none.tree()).reason, "2 fields differ");
}

}  // namespace
}  // namespace samestep
