#include "tools/reports.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>

#include "schemas/json/report_json.h"
#include "tests/schemas/json/expect_error.h"
#include "tests/schemas/json/samples.h"
#include "tests/schemas/validation.h"

namespace samestep {
namespace {

TEST(ReportsTest, JsonIsOneValidDocument) {
  ReportOptions options;
  options.json = true;
  const Result result = deliver(sample_report(), options, Screen{});
  EXPECT_EQ(validation_errors("report.v1", result.output), "");
  EXPECT_EQ(result.verdict, Verdict::diverged);
}

TEST(ReportsTest, FilesAreWrittenBesideTheText) {
  ReportOptions options;
  options.html = ::testing::TempDir() + "reports_test.html";
  options.junit = ::testing::TempDir() + "reports_test.xml";
  const Result result = deliver(sample_report(), options, Screen{});
  EXPECT_THAT(result.output, ::testing::HasSubstr("verdict: diverged"));
  for (const std::string& path : {options.html, options.junit}) {
    std::ifstream stream(path);
    std::string line;
    EXPECT_TRUE(std::getline(stream, line)) << path;
    EXPECT_THAT(line, ::testing::StartsWith("<?xml"));
    ::unlink(path.c_str());
  }
}

TEST(ReportsTest, AFileThatCannotBeWrittenIsAnError) {
  ReportOptions options;
  options.html = "/no/such/folder/report.html";
  EXPECT_ERROR(deliver(sample_report(), options, Screen{}), unreadable, options.html);
  EXPECT_ERROR(refuse_unwritable(options), unreadable, options.html);
  options.html = ::testing::TempDir() + "reports_test.html";
  refuse_unwritable(options);
}

}  // namespace
}  // namespace samestep
