#include "tools/render/report_junit.h"

#include <gmock/gmock.h>

#include <pugixml.hpp>

#include "tests/schemas/json/samples.h"

namespace samestep {
namespace {

using ::testing::HasSubstr;

pugi::xml_node suite_of(pugi::xml_document& document, const Report& report) {
  EXPECT_TRUE(document.load_string(report_junit(report).c_str()));
  return document.child("testsuites").child("testsuite");
}

TEST(ReportJunitTest, AComponentFailsWithItsConfirmedFindings) {
  pugi::xml_document document;
  const pugi::xml_node suite = suite_of(document, sample_report());
  EXPECT_STREQ(suite.attribute("name").value(), "samestep audit");
  EXPECT_EQ(suite.attribute("failures").as_int(), 2);
  EXPECT_EQ(suite.attribute("tests").as_int(), 4);  // verdict, model, optimizer, steps
  const pugi::xml_node optimizer = suite.find_child_by_attribute("name", "optimizer");
  EXPECT_THAT(optimizer.child("failure").text().get(), HasSubstr("overwritten: right in the"));
  EXPECT_THAT(optimizer.child("failure").attribute("message").value(),
              HasSubstr("1 confirmed, first: optimizer/state/head.weight/step (rank 1)"));
  EXPECT_FALSE(suite.find_child_by_attribute("name", "model").first_child());
  const pugi::xml_node steps = suite.find_child_by_attribute("name", "steps");
  EXPECT_FALSE(steps.child("failure"));
  EXPECT_THAT(steps.child("system-out").text().get(), HasSubstr("forward:head"));
}

TEST(ReportJunitTest, UndecidedIsAnErrorAndSameIsGreen) {
  Report report = sample_report();
  report.findings.clear();
  report.verdict = Verdict::undecided;
  pugi::xml_document document;
  pugi::xml_node suite = suite_of(document, report);
  EXPECT_EQ(suite.attribute("errors").as_int(), 1);
  EXPECT_TRUE(suite.find_child_by_attribute("name", "verdict").child("error"));

  report.verdict = Verdict::same;
  pugi::xml_document green;
  suite = suite_of(green, report);
  EXPECT_EQ(suite.attribute("errors").as_int() + suite.attribute("failures").as_int(), 0);
  EXPECT_FALSE(suite.find_child_by_attribute("name", "verdict").first_child());
}

}  // namespace
}  // namespace samestep
