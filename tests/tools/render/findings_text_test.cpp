#include "tools/render/findings_text.h"

#include <gmock/gmock.h>

#include "tests/schemas/json/samples.h"

namespace samestep {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Report with(std::vector<Finding> findings) {
  Report report;
  report.verb = "audit";
  report.findings = std::move(findings);
  return report;
}

Finding warning(const std::string& field, const std::string& next) {
  Finding finding;
  finding.grade = Grade::warning;
  finding.field = field;
  finding.fate = Fate::extra;
  finding.restored.present = true;
  finding.restored.value = std::int64_t{4};
  finding.evidence = {"the first sentence", "the second"};
  finding.next = next;
  return finding;
}

TEST(ConfirmedTextTest, AParagraphSaysEverythingAndEndsWithTheNextCommand) {
  Report report = with({sample_report().findings[0]});
  report.coverage.ranks_expected = 2;
  EXPECT_EQ(confirmed_text(report, Screen{}, false),
            "\nConfirmed\n"
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
  EXPECT_EQ(confirmed_text(with({}), Screen{}, false), "");
}

TEST(ConfirmedTextTest, AFoldedGroupNamesAFewAndTheFirstInFull) {
  std::vector<Finding> findings;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    findings.push_back(sample_report().findings[0]);
    findings.back().field = std::string("optimizer/state/") + name + "/step";
  }
  const std::string text = confirmed_text(with(findings), Screen{}, false);
  EXPECT_THAT(text, HasSubstr("  1. optimizer/state/*/step  (5 fields)\n"));
  EXPECT_THAT(text, HasSubstr("fields       optimizer/state/a/step, optimizer/state/b/step, "
                              "optimizer/state/c/step, and 2 more (--all shows each)\n"));
  EXPECT_THAT(text, HasSubstr("for example  optimizer/state/a/step\n"));
  EXPECT_THAT(confirmed_text(with(findings), Screen{}, true), HasSubstr("  5. optimizer/state/e/"));
}

TEST(ConfirmedTextTest, OfManyTheFirstAreShownAndTheRestIsCounted) {
  std::vector<Finding> findings;
  for (int i = 0; i < 300; ++i) {
    findings.push_back(warning("loop/" + std::to_string(i), "do x"));
    findings.back().grade = Grade::confirmed;
  }
  const std::string text = confirmed_text(with(findings), Screen{}, false);
  EXPECT_THAT(text, HasSubstr("\n  1. loop/0\n"));
  EXPECT_THAT(text, HasSubstr("\n 20. loop/19\n"));
  EXPECT_THAT(text, Not(HasSubstr("loop/20")));
  EXPECT_THAT(
      text, testing::EndsWith("     and 280 more findings (--all shows each, --json holds all)\n"));
  EXPECT_THAT(confirmed_text(with(findings), Screen{}, true), HasSubstr("\n300. loop/299\n"));
}

TEST(WarningsTextTest, AreShortAndSayACommandForSeveralOnce) {
  const Report report = with({warning("loop/a", "do x"), warning("loop/b", "do x")});
  EXPECT_EQ(warnings_text(report, Screen{}, false),
            "\nWarnings\n"
            "  1. loop/a\n"
            "     extra: only in the resumed run\n"
            "     captured absent; checkpointed absent; restored 4\n"
            "     the first sentence\n"
            "  2. loop/b\n"
            "     extra: only in the resumed run\n"
            "     captured absent; checkpointed absent; restored 4\n"
            "     the first sentence\n"
            "     next         do x\n");
  EXPECT_THAT(warnings_text(report, Screen{}, true), HasSubstr("evidence     the second\n"));
}

TEST(WarningsTextTest, ManyAreCut) {
  std::vector<Finding> findings;
  for (int i = 0; i < 13; ++i) findings.push_back(warning("loop/" + std::to_string(i), "do x"));
  const std::string text = warnings_text(with(findings), Screen{}, false);
  EXPECT_THAT(
      text, HasSubstr("     next         do x\n     and 3 more warnings (--all shows each, --json "
                      "holds all)\n"));
  EXPECT_THAT(text, Not(HasSubstr("loop/10")));
  EXPECT_THAT(warnings_text(with(findings), Screen{}, true), HasSubstr(" 13. loop/12\n"));
}

TEST(FindingsTextTest, HostileTextStaysOnItsLine) {
  Finding finding = warning("extra/\x1b[2J\n", "a\rb");
  EXPECT_THAT(warnings_text(with({finding}), Screen{}, false), HasSubstr("extra/\\x1B[2J\\x0A\n"));
  finding.grade = Grade::confirmed;
  EXPECT_THAT(confirmed_text(with({finding}), Screen{}, false), HasSubstr("a\\x0Db\n"));
}

}  // namespace
}  // namespace samestep
