#include "tools/reports.h"

#include <gmock/gmock.h>

#include <fstream>

#include "schemas/json/report_json.h"
#include "tests/schemas/json/expect_error.h"
#include "tests/schemas/json/samples.h"
#include "tests/schemas/validation.h"
#include "tests/support/temporary_folder.h"

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
  const TemporaryFolder folder;
  ReportOptions options;
  options.html = folder / "report.html";
  options.junit = folder / "report.xml";
  const Result result = deliver(sample_report(), options, Screen{});
  EXPECT_THAT(result.output, ::testing::HasSubstr("verdict: diverged"));
  for (const std::string& path : {options.html, options.junit}) {
    std::ifstream stream(path);
    std::string line;
    EXPECT_TRUE(std::getline(stream, line)) << path;
    EXPECT_THAT(line, ::testing::StartsWith("<?xml"));
  }
}

TEST(ReportsTest, AFileThatCannotBeWrittenTakesNothingWithIt) {
  const TemporaryFolder folder;
  ReportOptions options;
  options.html = "/no/such/folder/report.html";
  options.junit = folder / "report.xml";
  const Result result = deliver(sample_report(), options, Screen{});
  ASSERT_TRUE(result.trouble);
  EXPECT_EQ(result.trouble->code(), ErrorCode::not_found);
  EXPECT_EQ(result.trouble->where(), options.html);
  EXPECT_THAT(result.output, ::testing::HasSubstr("verdict: diverged"));
  EXPECT_TRUE(std::ifstream(options.junit).good());
  EXPECT_ERROR(refuse_unwritable(options), unreadable, options.html);
  options.html = folder / "report.html";
  refuse_unwritable(options);
}

TEST(ReportsTest, OneReportIsNeverTheSameFileAsNone) {
  const TemporaryFolder folder;
  ReportOptions options;
  for (std::string* path : {&options.html, &options.junit}) {
    *path = folder / "report";
    EXPECT_NO_THROW(refuse_unwritable(options));
    *path = "";
  }
  options.html = options.junit = folder / "report";
  EXPECT_ERROR(refuse_unwritable(options), usage, "name the same file");
}

}  // namespace
}  // namespace samestep
