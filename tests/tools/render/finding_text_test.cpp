#include "tools/render/finding_text.h"

#include <gmock/gmock.h>

#include "tests/schemas/json/samples.h"

namespace samestep {
namespace {

TEST(FindingTextTest, ASideSaysValueTypeAndSource) {
  Side side;
  EXPECT_EQ(side_text(side), "absent");
  side.present = true;
  EXPECT_EQ(side_text(side), "present");
  side.digest = Digest{1, 2};
  EXPECT_EQ(side_text(side), "0000000000000001...");
  side.dtype = "float32";
  side.shape = {2};
  side.value = 4.0;
  side.source = "a.pt: state/0/step";
  EXPECT_EQ(side_text(side), "4.0  float32 [2]  in a.pt: state/0/step");
}

TEST(FindingTextTest, ADifferenceIsLocated) {
  Difference difference = *sample_report().findings[0].difference;
  EXPECT_EQ(difference_text(difference),
            "bytes 2-3; 1 of 1 element, the first at [0, 1]: 4.0 against 0.0; at most 1082130432 "
            "ULP apart");
  difference.ulp_max.reset();
  EXPECT_THAT(difference_text(difference), ::testing::EndsWith("4.0 against 0.0"));
}

TEST(FindingTextTest, ABatchIsToldByItsDigestAlone) {
  Finding finding;
  finding.field = "dataloader/next_batch";
  finding.fate = Fate::missing;
  finding.captured.present = finding.restored.present = true;
  finding.captured.value = std::string("7ec9b1ffa0ad37c5ac161d0583c1a1e0");
  finding.restored.value = std::string("7cc16b10184c3bd9a2c04533e50a6705");
  finding.difference = *sample_report().findings[0].difference;
  EXPECT_EQ(what_happened(finding, "audit"),
            "missing: the resumed run trains on another batch next");
  const std::vector<std::pair<std::string, std::string>> rows{
      {"captured", "a batch with the digest 7ec9b1ffa0ad37c5..."},
      {"restored", "a batch with the digest 7cc16b10184c3bd9..."}};
  EXPECT_EQ(finding_rows(finding, "audit"), rows);
}

TEST(FindingTextTest, EachVerbHasItsWords) {
  Finding finding;
  finding.fate = Fate::missing;
  finding.captured.present = true;
  EXPECT_EQ(what_happened(finding, "audit"),
            "missing: never captured in the checkpoint, and different in the resumed run");
  EXPECT_EQ(what_happened(finding, "gate"), "missing: not in the checkpoint");
  EXPECT_EQ(what_happened(finding, "diff"), "only in the first");
  EXPECT_EQ(finding_rows(finding, "audit").size(), 3u);
  EXPECT_EQ(finding_rows(finding, "gate").size(), 2u);
  EXPECT_EQ(finding_rows(finding, "diff")[1].first, "second");
  finding.restored.present = true;
  EXPECT_EQ(what_happened(finding, "diff"), "differs");
  finding.captured.present = false;
  EXPECT_EQ(what_happened(finding, "diff"), "only in the second");
  finding.marks = {"damaged"};
  EXPECT_EQ(what_happened(finding, "verify"), "damaged");
  finding.kind = FindingKind::breach;
  EXPECT_EQ(what_happened(finding, "diff"), "damaged");
}

TEST(FindingTextTest, WhatIsToleratedReadsAsNoRefusal) {
  Finding finding;
  finding.grade = Grade::warning;
  finding.fate = Fate::missing;
  EXPECT_EQ(what_happened(finding, "gate"), "tolerated: not in the checkpoint");
  finding.fate = Fate::miswritten;
  EXPECT_EQ(what_happened(finding, "gate"), "tolerated: another value in the checkpoint");
  finding.captured.present = finding.restored.present = true;
  finding.marks = {"representation"};
  EXPECT_EQ(what_happened(finding, "diff"), "the same value, written in another way");
}

TEST(FindingTextTest, TheTitleOfAGradeFitsTheVerdict) {
  Report report;
  const auto titles = [&](const char* verb) {
    report.verb = verb;
    return grade_title(report, Grade::confirmed) + ", " + grade_title(report, Grade::warning);
  };
  EXPECT_EQ(titles("gate"), "Refused, Tolerated");
  EXPECT_EQ(titles("audit"), "Confirmed, Warnings");
  EXPECT_EQ(titles("diff"), "Confirmed, Not counted");
  report.findings.emplace_back();
  report.findings[0].grade = Grade::warning;
  report.findings[0].kind = FindingKind::breach;
  EXPECT_EQ(titles("diff"), "Confirmed, Warnings") << "damage explains what differs";
}

TEST(FindingTextTest, WithoutAFateTheKindIsSaid) {
  Finding finding;
  finding.kind = FindingKind::breach;
  EXPECT_EQ(what_happened(finding, "audit"), "breach");
  EXPECT_TRUE(finding_rows(finding, "audit").empty());
}

}  // namespace
}  // namespace samestep
