#include "capture/torch/process_rank.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace samestep::libtorch {
namespace {

class RankOfAProcess : public ::testing::Test {
 protected:
  ~RankOfAProcess() override {
    for (const std::string& name : set_) ::unsetenv(name.c_str());
  }

  void say(const std::string& name, const char* value) {
    ::setenv(name.c_str(), value, 1);
    set_.push_back(name);
  }

  static void expect(int rank, int world_size) {
    EXPECT_EQ(process_rank().rank, rank);
    EXPECT_EQ(process_rank().world_size, world_size);
  }

 private:
  std::vector<std::string> set_;
};

TEST_F(RankOfAProcess, IsTheOnlyOneWithoutALauncher) { expect(0, 1); }

TEST_F(RankOfAProcess, IsWhatTheLauncherSays) {
  say("RANK", "3");
  say("WORLD_SIZE", "8");
  expect(3, 8);
}

TEST_F(RankOfAProcess, IsWhatTheTrainerSaysInstead) {
  say("RANK", "3");
  EXPECT_EQ(process_rank(0, 2).rank, 0);
  EXPECT_EQ(process_rank(0, 2).world_size, 2);
}

TEST_F(RankOfAProcess, IsWhatMpiOrSlurmSay) {
  say("SLURM_PROCID", "1");
  say("SLURM_STEP_NUM_TASKS", "3");
  expect(1, 3);
  say("PMI_RANK", "2");
  say("PMI_SIZE", "4");
  expect(2, 4);
  say("OMPI_COMM_WORLD_RANK", "3");
  say("OMPI_COMM_WORLD_SIZE", "5");
  expect(3, 5);
  say("RANK", "4");
  say("WORLD_SIZE", "6");
  expect(4, 6);
}

TEST_F(RankOfAProcess, IsTheOnlyOneInAShellOfAnAllocation) {
  say("SLURM_PROCID", "0");
  say("SLURM_NTASKS", "8");
  expect(0, 1);
}

TEST_F(RankOfAProcess, IsNotReadFromWhatIsNoNumber) {
  say("RANK", "one");
  say("WORLD_SIZE", "");
  expect(0, 1);
}

}  // namespace
}  // namespace samestep::libtorch
