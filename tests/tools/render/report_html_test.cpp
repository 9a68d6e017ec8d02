#include "tools/render/report_html.h"

#include <gmock/gmock.h>

#include <pugixml.hpp>

#include "tests/schemas/json/samples.h"

namespace samestep {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ReportHtmlTest, IsWellFormedAndHoldsTheVerdict) {
  const std::string text = report_html(sample_report());
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(text.c_str()));
  const pugi::xml_node body = document.child("html").child("body");
  EXPECT_STREQ(body.child("h1").child("span").text().get(), "diverged");
  EXPECT_THAT(body.child("section").child("h3").child("code").text().get(),
              HasSubstr("optimizer/state/head.weight/step"));
  for (const char* part : {"First divergence", "Cause", "grafting it heals step 5", "wall clock",
                           "torch.num_threads", "/w/log2.txt"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST(ReportHtmlTest, ForeignTextIsTextAndNothingElse) {
  Report report = sample_report();
  report.findings[0].field = "extra/<script>alert('1')</script>&\x01\xFF";
  report.reason = "\"</p><script>\"";
  const std::string text = report_html(report);
  EXPECT_THAT(text, Not(HasSubstr("<script")));
  EXPECT_THAT(text, HasSubstr("extra/&lt;script&gt;"));
  EXPECT_THAT(text, HasSubstr("\\x01\\xFF"));
  pugi::xml_document document;
  EXPECT_TRUE(document.load_string(text.c_str()));
}

TEST(ReportHtmlTest, FoldedFieldsAreAllListed) {
  Report report = sample_report();
  for (const char* name : {"b", "c"}) {
    report.findings.push_back(report.findings[0]);
    report.findings.back().field = std::string("optimizer/state/") + name + "/step";
  }
  const std::string text = report_html(report);
  EXPECT_THAT(text, HasSubstr("all 3 fields"));
  EXPECT_THAT(text, HasSubstr("optimizer/state/c/step  (rank 1)"));
}

}  // namespace
}  // namespace samestep
