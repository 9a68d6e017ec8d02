#include <gtest/gtest.h>

#include "schemas/json/report_parts.h"
#include "tests/schemas/json/expect_error.h"
#include "tests/schemas/json/samples.h"

namespace samestep {
namespace {

std::string text_of(const Coverage& coverage) {
  JsonWriter writer;
  write_coverage(writer, coverage);
  return writer.take();
}

TEST(CoverageJsonTest, GoesBothWays) {
  for (const Coverage& coverage : {sample_report().coverage, Coverage{}}) {
    const std::string text = text_of(coverage);
    EXPECT_EQ(text_of(read_coverage(JsonNode::parse(text, "d"))), text);
  }
}

TEST(CoverageJsonTest, RefusesNegativeCounts) {
  std::string text = text_of(sample_report().coverage);
  text.replace(text.find("318"), 3, "-31");
  EXPECT_ERROR(read_coverage(JsonNode::parse(text, "d")), corrupt, "d at /fields_compared");
}

TEST(LegJsonTest, GoesBothWays) {
  for (const LegReport& leg : sample_report().legs) {
    JsonWriter writer;
    write_leg(writer, leg);
    const LegReport back = read_leg(JsonNode::parse(writer.take(), "d"));
    EXPECT_EQ(back.name, leg.name);
    EXPECT_EQ(back.argv, leg.argv);
    EXPECT_EQ(back.exit_status, leg.exit_status);
    EXPECT_EQ(back.seconds, leg.seconds);
    EXPECT_EQ(back.steps, leg.steps);
  }
}

}  // namespace
}  // namespace samestep
