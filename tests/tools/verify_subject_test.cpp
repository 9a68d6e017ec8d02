#include "tools/verify_subject.h"

#include <dirent.h>
#include <gmock/gmock.h>

#include <cstdio>

#include "schemas/error.h"
#include "schemas/json/report_json.h"
#include "tests/capture/session_fixture.h"
#include "tests/schemas/validation.h"
#include "tests/support/test_data.h"

namespace samestep {
namespace {

const std::string kSamples = test_data("samples/");

class VerifySubjectTest : public SessionTest {
 protected:
  std::string captured_run() {
    plan.at = 2;
    train(*open(), 4);
    return plan.run;
  }
  static Report verify(const std::string& path, double share = 1) {
    ProgressLine progress{Screen{}};
    return verify_subject(path, share, progress);
  }
};

void flip_last_byte(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "r+b");
  ASSERT_NE(file, nullptr) << path;
  std::fseek(file, -1, SEEK_END);
  const int byte = std::fgetc(file);
  std::fseek(file, -1, SEEK_END);
  std::fputc(byte ^ 1, file);
  std::fclose(file);
}

std::string pack_of(const std::string& run) {
  const std::string captures = run + "/.samestep/captures/2";
  DIR* folder = ::opendir(captures.c_str());
  std::string pack;
  while (const dirent* entry = ::readdir(folder)) {
    const std::string name = entry->d_name;
    if (name.ends_with(".pack")) pack = captures + "/" + name;
  }
  ::closedir(folder);
  return pack;
}

TEST_F(VerifySubjectTest, ASoundCaptureIsSame) {
  const Report report = verify(captured_run());
  EXPECT_EQ(report.verdict, Verdict::same);
  EXPECT_EQ(report.verb, "verify");
  EXPECT_EQ(report.coverage.fields_compared, 2u);
  EXPECT_EQ(report.coverage.fields_equal, 2u);
  EXPECT_EQ(validation_errors("report.v1", report_to_json(report)), "");
}

TEST_F(VerifySubjectTest, OneDamagedByteIsOneFindingThatNamesTheField) {
  const std::string run = captured_run();
  flip_last_byte(pack_of(run));
  const Report report = verify(run);
  EXPECT_EQ(report.verdict, Verdict::diverged);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_THAT(report.findings[0].field, ::testing::AnyOf("model/weight", "loop/step"));
  EXPECT_EQ(report.findings[0].marks, (std::vector<std::string>{"damaged"}));
  EXPECT_EQ(report.coverage.fields_equal, 1u);
}

TEST_F(VerifySubjectTest, AMissingPackIsOneFinding) {
  const std::string run = captured_run();
  std::remove(pack_of(run).c_str());
  const Report report = verify(run);
  EXPECT_EQ(report.verdict, Verdict::diverged);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].field, "captures/2/rank-0.0.pack");
  EXPECT_EQ(report.coverage.fields_compared, 2u);
  EXPECT_EQ(report.coverage.fields_equal, 0u);
  EXPECT_THAT(report.reason, ::testing::StartsWith("1 problem in "));
  EXPECT_EQ(validation_errors("report.v1", report_to_json(report)), "");
}

TEST_F(VerifySubjectTest, ADamagedLogIsFoundAlsoBesideADamagedCapture) {
  const std::string run = captured_run();
  flip_last_byte(run + "/.samestep/log/rank-0.jsonl.zst");
  Report report = verify(run);
  EXPECT_EQ(report.verdict, Verdict::diverged);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].field, "log/rank-0.jsonl.zst");
  EXPECT_EQ(report.coverage.fields_equal, 2u);
  EXPECT_EQ(verify(run + "/.samestep/captures/2").verdict, Verdict::same)
      << "its log is not asked for";
  flip_last_byte(run + "/.samestep/captures/2/rank-0.json");
  EXPECT_EQ(verify(run).findings.size(), 2u);
}

TEST_F(VerifySubjectTest, WhatWasLeftOutIsSaid) {
  const Report report = verify(captured_run(), 0.5);
  EXPECT_EQ(report.coverage.fields_compared, 1u);
  EXPECT_THAT(report.coverage.not_compared,
              ::testing::Contains(::testing::Pair("1 field", "left out of the subset")));
}

TEST_F(VerifySubjectTest, ACheckpointIsVerified) {
  EXPECT_EQ(verify(kSamples + "handed/torch-zip-proto2").verdict, Verdict::same);
  const Report report = verify(kSamples + "hostile/dcp-bitflip");
  EXPECT_EQ(report.verdict, Verdict::diverged);
  EXPECT_FALSE(report.findings.empty());
  EXPECT_EQ(validation_errors("report.v1", report_to_json(report)), "");
}

TEST_F(VerifySubjectTest, ACutFileIsDamageAndAStrangeOneAnError) {
  const Report report = verify(kSamples + "hostile/zip-truncated-half");
  EXPECT_EQ(report.verdict, Verdict::diverged);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].marks, std::vector<std::string>{"damaged"});
  EXPECT_EQ(report.findings[0].evidence.size(), 2u) << "what is wrong, and what to do";
  EXPECT_THROW(verify(kSamples + "no/such/file"), Error);
}

}  // namespace
}  // namespace samestep
