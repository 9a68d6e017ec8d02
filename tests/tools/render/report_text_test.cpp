#include "tools/render/report_text.h"

#include <gmock/gmock.h>

#include "tests/schemas/json/samples.h"

namespace samestep {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ReportTextTest, TheVerdictIsTheLastLine) {
  Report report = sample_report();
  EXPECT_THAT(
      report_text(report, Screen{}, false),
      EndsWith("\n\nverdict: diverged: optimizer/state/head.weight/step is overwritten after "
               "the load\n"));
  report.verdict = Verdict::undecided;
  report.reason = "two\nlines";
  EXPECT_THAT(report_text(report, Screen{}, false),
              EndsWith("verdict: undecided: two\\x0Alines\n"));
}

TEST(ReportTextTest, TellsEachPart) {
  const std::string text = report_text(sample_report(), Screen{}, false);
  for (const char* part :
       {"Confirmed\n  1. optimizer/state/head.weight/step", "Warnings\n  1. forward:head",
        "First divergence\n  rank 1, step 5, forward:head\n",
        "the same before it: 0 steps, 2 boundaries; later differences that follow from it: 17",
        "  operator       step 5, op:412: aten::mm\n",
        "Cause\n  optimizer/state/head.weight/step  grafting it heals step 5",
        "Compared\n  318 fields (317 equal), 3 steps, 12 boundaries\n",
        "  model 100, optimizer 218\n", "  ranks 0-1 of 2 heard\n",
        "  not compared: loop/path: a path\n", "  in the file, not seen live: extra/args\n",
        "  ignored: 3 fields: wall clock\n",
        "Legs\n  uninterrupted    7 steps     12.5 s  exit 0  /w/log.txt\n",
        "  resumed          3 steps     10.0 s  exit -9  /w/log2.txt\n"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST(ReportTextTest, SaysWhatIsLeftOnDisk) {
  Report report = sample_report();
  report.host["work"] = "/w/audit";
  EXPECT_THAT(report_text(report, Screen{}, false),
              HasSubstr("\n  kept in /w/audit: remove it when you are done\n"));
}

TEST(ReportTextTest, ABareReportIsShort) {
  Report report;
  report.verb = "diff";
  report.verdict = Verdict::same;
  report.coverage.fields_compared = report.coverage.fields_equal = 1;
  EXPECT_EQ(report_text(report, Screen{}, false),
            "Compared\n  1 field (1 equal)\n\nverdict: same\n");
}

TEST(ReportTextTest, LongListsAreCut) {
  Report report = sample_report();
  for (int i = 0; i < 20; ++i) report.coverage.not_compared.emplace_back("x", "y");
  EXPECT_THAT(report_text(report, Screen{}, false),
              HasSubstr("not compared: 13 more (--json lists them)\n"));
}

TEST(ReportTextTest, ColourIsOnlyForAScreenThatHasIt) {
  EXPECT_THAT(report_text(sample_report(), Screen{}, false), Not(HasSubstr("\x1b")));
  Screen screen;
  screen.colour = true;
  EXPECT_THAT(report_text(sample_report(), screen, false), HasSubstr("\x1b[1;31mdiverged\x1b[0m"));
}

TEST(ReportTextTest, AStandstillIsSaid) {
  Report report = sample_report();
  report.coverage.power = false;
  EXPECT_THAT(report_text(report, Screen{}, false), HasSubstr("and the state did not move"));
}

}  // namespace
}  // namespace samestep
