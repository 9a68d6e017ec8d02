#include "resume_check/descendants.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace samestep {
namespace {

pid_t sleeper() {
  const pid_t pid = fork();
  if (pid == 0) {
    pause();
    _exit(0);
  }
  return pid;
}

TEST(Descendants, OnlyNewChildrenAreEnded) {
  const pid_t before = sleeper();
  {
    const DescendantReaper reaper;
    const pid_t later = sleeper();
    EXPECT_TRUE(children_of_this_process().count(later));
    reaper.end_all();
    EXPECT_FALSE(children_of_this_process().count(later));
  }
  EXPECT_TRUE(children_of_this_process().count(before));
  kill(before, SIGKILL);
  waitpid(before, nullptr, 0);
}

}  // namespace
}  // namespace samestep
