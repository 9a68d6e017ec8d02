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

/// Two ranks, one after the other, under a launcher that never fails.
LegRequest request_for_two(const TemporaryFolder& folder, const std::string& fault) {
  LegRequest request = request_for(folder);
  std::string trainer;
  for (const std::string& word : request.argv) trainer += word + " ";
  request.argv = {"sh", "-c",
                  trainer + "--ranks 2 --rank 0; " + trainer + "--ranks 2 --rank 1 --fault " +
                      fault + "; exit 0"};
  return request;
}

TEST(Leg, OfTwoRanksHasARecordOfEach) {
  const TemporaryFolder folder;
  const auto outcome = run_leg(request_for_two(folder, "none"), {});
  EXPECT_EQ(outcome.world_size, 2);
  EXPECT_EQ(outcome.ranks.size(), 2u);
}

TEST(Leg, ARankThatBrokeOffIsNamedWhereItsLauncherSaysNothing) {
  const TemporaryFolder folder;
  try {
    run_leg(request_for_two(folder, "break-off"), {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("launcher did not fail: rank 1 after step 5"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace samestep
