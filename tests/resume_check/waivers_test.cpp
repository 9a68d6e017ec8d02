#include "resume_check/waivers.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "schemas/error.h"

namespace samestep {
namespace {

Finding lost(const std::string& field) {
  Finding finding;
  finding.field = field;
  return finding;
}

const Waiver kWaiver{"rng/*", "the order of one epoch does not matter", "ada", "2031-12-31"};

TEST(Waivers, TurnWhatTheyCoverIntoAWarning) {
  std::vector<Finding> findings{lost("rng/torch.cpu"), lost("model/w")};
  Coverage coverage;
  apply_waivers({kWaiver}, "2031-12-31", findings, coverage);
  EXPECT_EQ(findings[0].grade, Grade::warning);
  EXPECT_EQ(findings[0].marks.back(), "waived");
  EXPECT_EQ(findings[1].grade, Grade::confirmed);
  EXPECT_TRUE(coverage.not_compared.empty());
}

TEST(Waivers, AreReportedAndNotAppliedAfterTheirDay) {
  std::vector<Finding> findings{lost("rng/torch.cpu")};
  Coverage coverage;
  apply_waivers({kWaiver}, "2032-01-01", findings, coverage);
  EXPECT_EQ(findings[0].grade, Grade::confirmed);
  ASSERT_EQ(coverage.not_compared.size(), 1u);
  EXPECT_NE(coverage.not_compared[0].second.find("2031-12-31"), std::string::npos);
}

TEST(Waivers, AreReadFromAFile) {
  const std::string path = ::testing::TempDir() + "waivers.json";
  std::ofstream(path)
      << R"({"schema":"waivers.v1","waivers":[{"field":"rng/*","reason":"r","owner":"o","expires":"2031-12-31"}]})";
  EXPECT_EQ(read_waivers(path).at(0).field, "rng/*");
  std::ofstream(path) << R"({"schema":"waivers.v1","waivers":[{"field":"rng/*"}]})";
  EXPECT_THROW(read_waivers(path), Error);
  std::remove(path.c_str());
  EXPECT_THROW(read_waivers(path), Error);
}

TEST(Waivers, TodayIsADay) { EXPECT_TRUE(is_date(day_of_today())); }

}  // namespace
}  // namespace samestep
