#include "resume_check/compare.h"

#include <gtest/gtest.h>

#include "checkpoint/field_summary.h"
#include "resume_check/digests.h"
#include "schemas/json/report_json.h"
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
  EXPECT_EQ(report.coverage.ignored.at("the same values, laid out otherwise in memory"), 1u);
}

TEST(Diff, NothingToCompareIsUndecided) {
  EXPECT_EQ(diff_trees(StateTree{}, StateTree{}).verdict, Verdict::undecided);
}

CaptureSummary summary(const StateTree& tree) {
  StateTree digested = tree;
  compute_digests(digested);
  std::vector<Field> fields;
  for (const StateEntry& entry : digested.entries()) fields.push_back(entry.field);
  return summary_of(fields);
}

TEST(Diff, EqualSummariesSayWhatALookAtAllFieldsSays) {
  const auto state = State()
                         .parameter("model/w", ramp(8, 1))
                         .slot("w", "step", 0, scalar(4))
                         .attribute("ema/updates", 4);
  const auto report = diff_summaries(summary(state.tree()), summary(state.tree()));
  ASSERT_TRUE(report);
  EXPECT_EQ(report_to_json(*report), report_to_json(diff_trees(state.tree(), state.tree())));
  EXPECT_EQ(report->coverage.fields_equal, 3u);
  const auto nothing = diff_summaries({}, {});
  ASSERT_TRUE(nothing);
  EXPECT_EQ(nothing->verdict, Verdict::undecided);
}

TEST(Diff, OtherSummariesTellNothing) {
  const CaptureSummary one = summary(State().parameter("model/w", ramp(8, 1)).tree());
  const CaptureSummary other = summary(State().parameter("model/w", ramp(8, 2)).tree());
  EXPECT_FALSE(diff_summaries(one, other));
  CaptureSummary unopened = one;
  unopened.opaque = 1;
  EXPECT_FALSE(diff_summaries(unopened, unopened));
}

/// `tree` with the digests of `other`: as if somebody had found bytes with the same ones.
StateTree forged(StateTree tree, StateTree other) {
  compute_digests(other);
  for (std::size_t i = 0; i < tree.entries().size(); ++i)
    tree.entries()[i].field.digest = other.entries()[i].field.digest;
  return tree;
}

TEST(Diff, Sha256SeesWhatADigestDoesNot) {
  const auto sound = State().parameter("model/a", ramp(8, 1)).parameter("model/b", ramp(8, 2));
  const auto other = State().parameter("model/a", ramp(8, 1)).parameter("model/b", ramp(8, 3));
  const StateTree target = forged(other.tree(), sound.tree());
  EXPECT_EQ(diff_trees(sound.tree(), target).verdict, Verdict::same);
  const auto report = diff_trees(sound.tree(), target, EqualBy::sha256);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].field, "model/b");
  ASSERT_TRUE(report.findings[0].difference);
  EXPECT_EQ(diff_trees(sound.tree(), sound.tree(), EqualBy::sha256).coverage.fields_equal, 2u);
}

TEST(Diff, WithoutBytesThereIsNoSha256) {
  const auto state = State().parameter("model/a", ramp(8, 1)).parameter("model/b", ramp(8, 2));
  StateTree target = state.tree();
  compute_digests(target);
  target.entries()[0].bytes = nullptr;
  const auto report = diff_trees(state.tree(), target, EqualBy::sha256);
  EXPECT_EQ(report.verdict, Verdict::same);
  EXPECT_EQ(report.coverage.fields_compared, 1u);
  ASSERT_EQ(report.coverage.not_compared.size(), 1u);
  EXPECT_EQ(report.coverage.not_compared[0].first, "model/a");
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
