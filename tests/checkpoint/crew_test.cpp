#include "checkpoint/crew.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <stdexcept>
#include <thread>
#include <vector>

namespace samestep {
namespace {

TEST(Crew, EachPieceIsDoneOnce) {
  for (const unsigned threads : {0U, 1U, 2U, 3U, 7U}) {
    for (const std::size_t pieces : {0, 1, 2, 5, 1000}) {
      std::vector<std::atomic<int>> done(pieces);
      share_work(pieces, threads, [&](std::size_t i) { done[i] += 1; });
      for (std::size_t i = 0; i < pieces; ++i) ASSERT_EQ(done[i], 1) << i << " of " << pieces;
    }
  }
}

TEST(Crew, TheFirstExceptionIsThrownByTheCall) {
  for (const unsigned threads : {1U, 4U}) {
    std::atomic<int> done = 0;
    EXPECT_THROW(share_work(100'000, threads,
                            [&](std::size_t i) {
                              if (i == 3) throw std::runtime_error("three");
                              done += 1;
                            }),
                 std::runtime_error);
    EXPECT_LT(done, 100'000);
  }
}

TEST(Crew, HelpersBlockSignalsAndTheCallerKeepsItsMask) {
  sigset_t before, after;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  std::atomic<bool> in_helper = false;
  std::atomic<int> unblocked = 0;
  const pthread_t caller = pthread_self();
  share_work(2, 2, [&](std::size_t) {
    if (pthread_equal(caller, pthread_self())) {
      while (!in_helper) usleep(100);  // leaves the other piece to the helper
      return;
    }
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    unblocked += sigismember(&mask, SIGUSR1) == 0;
    unblocked += sigismember(&mask, SIGTERM) == 0;
    in_helper = true;
  });
  EXPECT_EQ(unblocked, 0);
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  EXPECT_EQ(sigismember(&before, SIGUSR1), sigismember(&after, SIGUSR1));
}

TEST(Crew, NoThreadIsLeftAndAForkedChildCanWork) {
  const auto threads = [] {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    return std::distance(begin(tasks), end(tasks));
  };
  std::thread([] {}).join();  // a sanitizer's own thread begins with the first one
  const auto before = threads();
  share_work(8, 4, [](std::size_t) {});
  EXPECT_EQ(threads(), before);
  const pid_t child = fork();
  if (child == 0) {
    std::atomic<int> done = 0;
    share_work(8, 4, [&](std::size_t) { done += 1; });
    _exit(done == 8 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(Crew, ThereIsAlwaysAThreadToUse) {
  EXPECT_GE(threads_to_use(), 1U);
  EXPECT_LE(threads_to_use(), 16U);
}

}  // namespace
}  // namespace samestep
