#include "tools/render/finding_text.h"

#include <gmock/gmock.h>

#include "tests/schemas/json/samples.h"

namespace samestep {
namespace {

using ::testing::HasSubstr;

TEST(FindingTextTest, ASideSaysValueTypeAndSource) {
  Side side;
  EXPECT_EQ(side_text(side), "absent");
  side.present = true;
  EXPECT_EQ(side_text(side), "present");
  side.digest = Digest{1, 2};
  EXPECT_EQ(side_text(side), "00000000000000010000000000000002");
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

TEST(FindingTextTest, AParagraphSaysEverythingAndEndsWithTheNextCommand) {
  const Report report = sample_report();
  const auto groups = fold(report.findings, false);
  const std::string text = group_text(groups[0], 1, true, Screen{});
  EXPECT_EQ(text,
            "  1. optimizer/state/head.weight/step  (rank 1)\n"
            "     overwritten: right in the checkpoint and right after load; another value at the "
            "first step\n"
            "     captured     4.0  float32 []\n"
            "     checkpointed 4.0  float32 []  in a.pt: state/0/step\n"
            "     after load   4.0  float32 []\n"
            "     restored     0.0  float32 []\n"
            "     difference   bytes 2-3; 1 of 1 element, the first at [0, 1]: 4.0 against 0.0; at "
            "most 1082130432 ULP apart\n"
            "     where        step 5, begin\n"
            "     marks        reset\n"
            "     evidence     equals the value at construction (reset)\n"
            "     next         samestep inspect out/a.pt\n");
}

TEST(FindingTextTest, AFoldedGroupNamesAFewAndTheFirstInFull) {
  std::vector<Finding> findings;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    findings.push_back(sample_report().findings[0]);
    findings.back().field = std::string("optimizer/state/") + name + "/step";
  }
  const std::string text = group_text(fold(findings, false)[0], 2, false, Screen{});
  EXPECT_THAT(text, HasSubstr("  2. optimizer/state/*/step  (5 fields)\n"));
  EXPECT_THAT(text, HasSubstr("fields       optimizer/state/a/step, optimizer/state/b/step, "
                              "optimizer/state/c/step, and 2 more (--all shows each)\n"));
  EXPECT_THAT(text, HasSubstr("for example  optimizer/state/a/step\n"));
}

TEST(FindingTextTest, HostileTextStaysOnItsLine) {
  Finding finding;
  finding.kind = FindingKind::divergence;
  finding.field = "extra/\x1b[2J\n";
  finding.evidence = {"a\rb"};
  const std::vector<Finding> findings{finding};
  const std::string text = group_text(fold(findings, false)[0], 1, false, Screen{});
  EXPECT_THAT(text, HasSubstr("extra/\\x1B[2J\\x0A"));
  EXPECT_THAT(text, HasSubstr("a\\x0Db"));
}

}  // namespace
}  // namespace samestep
