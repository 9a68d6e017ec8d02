#include "resume_check/leg.h"

#include <gtest/gtest.h>

#include "schemas/error.h"
#include "tests/support/temporary_folder.h"

namespace samestep {
namespace {

LegRequest request_for(const TemporaryFolder& folder, std::vector<std::string> more = {}) {
  folder.write("leg/out/.keep", "");
  LegRequest request;
  request.name = "uninterrupted";
  request.folder = folder / "leg";
  request.argv = {SAMESTEP_FAKE_TRAINER, "--out", request.folder + "/out"};
  request.argv.insert(request.argv.end(), more.begin(), more.end());
  request.plan.at = 4;
  request.plan.checkpoint = "checkpoint.safetensors";
  request.plan.copy_to = folder / "branch";
  return request;
}

TEST(Leg, LeavesARecordAReportAndTheBranch) {
  const TemporaryFolder folder;
  std::vector<std::string> told;
  const auto outcome =
      run_leg(request_for(folder), [&](const std::string& line) { told.push_back(line); });
  ASSERT_EQ(outcome.ranks.size(), 1u);
  ASSERT_TRUE(outcome.ranks[0].capture);
  EXPECT_EQ(outcome.ranks[0].capture->completed, 4);
  EXPECT_EQ(outcome.report.exit_status, 0);
  EXPECT_TRUE(std::filesystem::exists(folder / "branch/checkpoint.safetensors"));
  EXPECT_EQ(told.front(), "uninterrupted leg: started");
}

TEST(Leg, HintsAtTheLastLinesOfItsLog) {
  const TemporaryFolder folder;
  folder.write("log.txt", "one\ntwo\nthree\n\nfour\x1b[31m\nfive\n");
  const auto hint = log_hint(folder / "log.txt");
  EXPECT_EQ(hint.find("one"), std::string::npos);
  EXPECT_NE(hint.find("two | three | four\\x1B[31m | five"), std::string::npos) << hint;
  folder.write("log.txt", "");
  EXPECT_NE(log_hint(folder / "log.txt").find("empty"), std::string::npos);
}

TEST(Leg, AFailingCommandIsRefused) {
  const TemporaryFolder folder;
  EXPECT_THROW(run_leg(request_for(folder, {"--fault", "crash"}), {}), Error);
}

}  // namespace
}  // namespace samestep
