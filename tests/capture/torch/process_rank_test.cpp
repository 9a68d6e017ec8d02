#include "capture/torch/process_rank.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace samestep::libtorch {
namespace {

class RankOfAProcess : public ::testing::Test {
 protected:
  ~RankOfAProcess() override {
    ::unsetenv("RANK");
    ::unsetenv("WORLD_SIZE");
  }
};

TEST_F(RankOfAProcess, IsTheOnlyOneWithoutALauncher) {
  EXPECT_EQ(process_rank().rank, 0);
  EXPECT_EQ(process_rank().world_size, 1);
}

TEST_F(RankOfAProcess, IsWhatTheLauncherSays) {
  ::setenv("RANK", "3", 1);
  ::setenv("WORLD_SIZE", "8", 1);
  EXPECT_EQ(process_rank().rank, 3);
  EXPECT_EQ(process_rank().world_size, 8);
}

TEST_F(RankOfAProcess, IsWhatTheTrainerSaysInstead) {
  ::setenv("RANK", "3", 1);
  EXPECT_EQ(process_rank(0, 2).rank, 0);
  EXPECT_EQ(process_rank(0, 2).world_size, 2);
}

}  // namespace
}  // namespace samestep::libtorch
