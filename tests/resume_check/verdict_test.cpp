#include "resume_check/verdict.h"

#include <gtest/gtest.h>

namespace samestep {
namespace {

StepsComparison steps(std::int64_t count, bool moved, bool parted) {
  StepsComparison made;
  made.steps = count;
  made.moved = moved;
  if (parted) made.divergence = DivergenceReport{{0, 5, "loss"}, "loss", 0, 0, 0};
  return made;
}

std::vector<Finding> gap(Grade grade) {
  Finding finding;
  finding.field = "rng/torch.cpu";
  finding.fate = Fate::missing;
  finding.grade = grade;
  return {finding};
}

std::vector<Finding> breach() {
  Finding finding;
  finding.kind = FindingKind::breach;
  finding.field = "plan/torch.num_threads";
  return {finding};
}

struct Row {
  const char* what;
  std::vector<Finding> findings;
  StepsComparison steps;
  Repeat resumed, uninterrupted;
  Verdict verdict;
  const char* says;
};

const std::vector<Row> kRows{
    {"sound",
     {},
     steps(3, true, false),
     Repeat::equal,
     Repeat::not_run,
     Verdict::same,
     "3 steps are equal"},
    {"warnings only", gap(Grade::warning), steps(3, true, false), Repeat::equal, Repeat::not_run,
     Verdict::same, ""},
    {"no power",
     {},
     steps(3, false, false),
     Repeat::equal,
     Repeat::not_run,
     Verdict::undecided,
     "nothing moved"},
    {"no step",
     {},
     steps(0, false, false),
     Repeat::equal,
     Repeat::not_run,
     Verdict::undecided,
     "no step"},
    {"control left nothing",
     {},
     steps(3, true, false),
     Repeat::unknown,
     Repeat::not_run,
     Verdict::undecided,
     ""},
    {"a gap", gap(Grade::confirmed), steps(3, true, true), Repeat::equal, Repeat::not_run,
     Verdict::diverged, "part at"},
    {"a latent gap", gap(Grade::confirmed), steps(3, true, false), Repeat::equal, Repeat::not_run,
     Verdict::diverged, "latent"},
    {"a gap in a run that does not repeat", gap(Grade::confirmed), steps(3, true, true),
     Repeat::unstable, Repeat::not_run, Verdict::diverged, "do not repeat"},
    {"unstable",
     {},
     steps(3, true, true),
     Repeat::unstable,
     Repeat::not_run,
     Verdict::undecided,
     "two resumed runs"},
    {"our fault",
     {},
     steps(3, true, false),
     Repeat::recorder,
     Repeat::not_run,
     Verdict::undecided,
     "recorder"},
    {"another plan", breach(), steps(3, true, true), Repeat::equal, Repeat::equal,
     Verdict::diverged, "plan/torch.num_threads"},
    {"hidden state",
     {},
     steps(3, true, true),
     Repeat::equal,
     Repeat::equal,
     Verdict::diverged,
     "no probe saw"},
    {"fresh runs differ",
     {},
     steps(3, true, true),
     Repeat::equal,
     Repeat::unstable,
     Verdict::undecided,
     "two uninterrupted"},
};

TEST(Verdict, Table) {
  for (const auto& row : kRows) {
    const auto decided =
        decide({row.findings, row.steps, row.resumed, row.uninterrupted, "step 5, loss"});
    EXPECT_EQ(decided.verdict, row.verdict) << row.what;
    EXPECT_NE(decided.reason.find(row.says), std::string::npos)
        << row.what << ": " << decided.reason;
  }
}

TEST(Verdict, FieldsAreCountedInWords) {
  auto two = gap(Grade::confirmed);
  two.push_back(two.front());
  auto three = two;
  three.push_back(two.front());
  const auto reason = [](const std::vector<Finding>& findings) {
    return decide({findings, steps(3, true, true), Repeat::equal, Repeat::not_run, ""}).reason;
  };
  EXPECT_NE(reason(two).find("and 1 more field just"), std::string::npos) << reason(two);
  EXPECT_NE(reason(three).find("and 2 more fields just"), std::string::npos) << reason(three);
}

TEST(Verdict, StepsOfARunThatDoesNotRepeatSayNothing) {
  auto parted = steps(3, true, true);
  parted.batches_differ = true;
  for (const auto repeat : {Repeat::not_run, Repeat::equal, Repeat::unknown}) {
    EXPECT_EQ(steps_that_count(parted, repeat).steps, 3);
    EXPECT_TRUE(steps_that_count(parted, repeat).divergence);
  }
  for (const auto repeat : {Repeat::unstable, Repeat::recorder}) {
    const auto left = steps_that_count(parted, repeat);
    EXPECT_EQ(left.steps, 0);
    EXPECT_FALSE(left.divergence || left.batches_differ);
  }
}

TEST(Verdict, WarningsBesideSameAreNotLeftToSurprise) {
  const auto warning = [](const char* field, int rank) {
    Finding finding;
    finding.field = field;
    finding.rank = rank;
    return finding;
  };
  EXPECT_EQ(beside_warnings("all is equal", {}), "all is equal");
  EXPECT_EQ(beside_warnings("all is equal", {warning("a", 0), warning("a", 1)}),
            "all is equal; 1 field differs without effect on them (warnings)");
  EXPECT_EQ(beside_warnings("all is equal", {warning("a", 0), warning("b", 1)}),
            "all is equal; 2 fields differ without effect on them (warnings)");
}

TEST(Verdict, WhatNothingExplainsStandsWhereTheStepsPart) {
  const DivergenceReport parting{{1, 5, "loss"}, "grad:w", 0, 0, 0};
  const auto finding = unexplained(parting, "all state is equal");
  EXPECT_EQ(finding.kind, FindingKind::divergence);
  EXPECT_EQ(finding.field, "grad:w");
  EXPECT_EQ(finding.rank, 1);
  EXPECT_EQ(finding.where->step, 5);
  EXPECT_EQ(finding.evidence, std::vector<std::string>{"all state is equal"});
}

TEST(Verdict, AFreshControlIsNeededWhenStepsPartUnexplained) {
  EXPECT_TRUE(needs_fresh_control({}, steps(3, true, true)));
  EXPECT_TRUE(needs_fresh_control(gap(Grade::warning), steps(3, true, true)));
  EXPECT_FALSE(needs_fresh_control(gap(Grade::confirmed), steps(3, true, true)));
  EXPECT_FALSE(needs_fresh_control({}, steps(3, true, false)));
  auto input = gap(Grade::confirmed);
  input.front().marks = {"input"};
  EXPECT_TRUE(needs_fresh_control(input, steps(3, true, true))) << "an effect explains nothing";
  EXPECT_TRUE(is_explained(input));
  EXPECT_FALSE(is_explained(gap(Grade::warning)));
}

}  // namespace
}  // namespace samestep
