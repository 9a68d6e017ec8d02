#include "resume_check/diff_records.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "tests/resume_check/generators.h"

namespace samestep {
namespace {

using ::testing::HasSubstr;
using testing::Leg;
using testing::numpy_stream;
using testing::ramp;
using testing::scalar;
using testing::State;

/// A trainer at `step`; `noise` is what differs between two processes.
State at(int step, int noise) {
  auto state = numpy_stream(6 + noise, 0);
  state.parameter("model/w", ramp(8, step))
      .slot("w", "step", 0, scalar(static_cast<float>(step)))
      .value("loop/start_time", Value(1.7e9 + noise), "attribute")
      .value("loop/out_dir", Value(std::string(noise ? "/b" : "/a")), "attribute")
      .attribute("loop/seen", noise)
      .frame("loop/main/i", noise);
  return state;
}

RankRecord leg(const State& captured, int noise) {
  return Leg().capture(4, captured).begin(5, at(5, noise)).begin(6, at(6, noise)).record();
}

const Finding* about(const Report& report, const std::string& field) {
  const auto found = std::ranges::find(report.findings, field, &Finding::field);
  return found == report.findings.end() ? nullptr : &*found;
}

TEST(DiffRecords, ASoundRunIsTheSameAsItsResumedOne) {
  const auto diff = diff_records(leg(at(4, 0), 0), leg(at(4, 1), 1));
  EXPECT_EQ(diff.report.verdict, Verdict::same) << diff.report.reason;
  EXPECT_GT(diff.uncounted, 3u);
  EXPECT_THAT(diff.report.reason, HasSubstr("an audit does not count (--exact counts all)"));
  const auto& ignored = diff.report.coverage.ignored;
  EXPECT_EQ(ignored.at("times of day and durations"), 1u);
  EXPECT_EQ(ignored.at("paths of files"), 1u);
  EXPECT_EQ(ignored.at("local variables of the training loop"), 1u);
  for (const Finding& finding : diff.report.findings)
    EXPECT_EQ(finding.grade, Grade::warning) << finding.field;
  const auto exact = diff_trees(at(4, 0).tree(), at(4, 1).tree());
  EXPECT_EQ(exact.verdict, Verdict::diverged);
}

TEST(DiffRecords, EqualRecordsAreEqualInAll) {
  const auto diff = diff_records(leg(at(4, 0), 0), leg(at(4, 0), 0));
  EXPECT_EQ(diff.uncounted, 0u);
  EXPECT_EQ(diff.report.reason, "all fields are equal, bit for bit");
}

TEST(DiffRecords, WhatAnAuditConfirmsIsADifference) {
  auto wrong = at(4, 1);
  wrong.parameter("model/v", ramp(4, 9));
  auto right = at(4, 0);
  right.parameter("model/v", ramp(4, 8));
  const auto diff = diff_records(leg(right, 0), leg(wrong, 1));
  EXPECT_EQ(diff.report.verdict, Verdict::diverged);
  ASSERT_TRUE(about(diff.report, "model/v"));
  EXPECT_EQ(about(diff.report, "model/v"), &diff.report.findings.front());
  EXPECT_TRUE(diff.report.findings.front().difference);
  EXPECT_THAT(diff.report.reason, ::testing::StartsWith("1 field differs; beside that, "));
}

TEST(DiffRecords, StateThatOnlyOneHasCountsFromBothSides) {
  auto more = at(4, 0);
  more.parameter("model/v", ramp(4, 8));
  for (const bool first : {true, false}) {
    const auto with = leg(more, 0), without = leg(at(4, 0), 0);
    const auto diff = first ? diff_records(with, without) : diff_records(without, with);
    EXPECT_EQ(diff.report.verdict, Verdict::diverged) << first;
    ASSERT_EQ(diff.report.findings.size(), 1u);
    EXPECT_EQ(diff.report.findings[0].field, "model/v");
  }
}

TEST(DiffRecords, WithoutALogNothingIsKnownToBeUnused) {
  const auto alone = [](int noise) { return Leg().capture(4, at(4, noise)).record(); };
  const auto diff = diff_records(alone(0), alone(1));
  EXPECT_EQ(diff.report.verdict, Verdict::diverged);
  EXPECT_EQ(about(diff.report, "rng/numpy")->grade, Grade::confirmed);
  EXPECT_FALSE(about(diff.report, "loop/start_time"));
  EXPECT_EQ(about(diff.report, "loop/main/i")->grade, Grade::warning);
}

TEST(DiffRecords, ClearedGradientsAreNoDifference) {
  auto one = at(4, 0), two = at(4, 0);
  one.tensor("gradients/w", ramp(8, 1), "gradient", Role::gradient);
  two.tensor("gradients/w", ramp(8, 2), "gradient", Role::gradient);
  const auto dead = Leg().capture(4, one).begin(5, at(5, 0)).dead("gradients/w").record();
  const auto diff = diff_records(dead, leg(two, 0));
  EXPECT_EQ(diff.report.verdict, Verdict::same) << diff.report.reason;
  EXPECT_EQ(diff.report.coverage.ignored.at("gradients that are cleared before they are used"), 1u);
}

TEST(DiffRecords, ALogThatCouldNotBeReadIsTold) {
  auto record = leg(at(4, 0), 0);
  record.log_trouble = "rank-0.jsonl.zst: damaged";
  const auto diff = diff_records(record, leg(at(4, 0), 0));
  ASSERT_EQ(diff.report.coverage.not_compared.size(), 1u);
  EXPECT_EQ(diff.report.coverage.not_compared[0].second, record.log_trouble);
}

}  // namespace
}  // namespace samestep
