#include "resume_check/child.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include "resume_check/cancel.h"
#include "schemas/error.h"
#include "tests/support/temporary_folder.h"

namespace samestep {
namespace {

std::string text_of(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

ChildRequest shell(const TemporaryFolder& folder, const std::string& script) {
  ChildRequest request;
  request.argv = {"sh", "-c", script};
  request.log = folder / "log.txt";
  return request;
}

bool is_alive(const std::string& pid_file) {
  const auto text = text_of(pid_file);
  return !text.empty() && kill(static_cast<pid_t>(std::stol(text)), 0) == 0;
}

TEST(Child, StatusOutputAndEnvironment) {
  const TemporaryFolder folder;
  auto request = shell(folder, "echo $WORD; echo wrong >&2; cat; exit 7");
  request.environment["WORD"] = "hello";
  const auto end = run_child(request);
  EXPECT_EQ(end.status, 7);
  EXPECT_FALSE(end.timed_out || end.cancelled);
  EXPECT_EQ(text_of(folder / "log.txt"), "hello\nwrong\n");
}

TEST(Child, ASignalIsToldApart) {
  const TemporaryFolder folder;
  EXPECT_EQ(run_child(shell(folder, "kill -9 $$")).status, 128 + SIGKILL);
}

TEST(Child, EndsWithWhoeverRunsIt) {
  const TemporaryFolder folder;
  const pid_t runner = fork();
  if (runner == 0) {
    run_child(shell(folder, "echo $$ > " + folder / "pid" + "; exec sleep 60"));
    _exit(0);
  }
  while (!is_alive(folder / "pid")) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  kill(runner, SIGKILL);
  waitpid(runner, nullptr, 0);
  for (int i = 0; i < 2000 && is_alive(folder / "pid"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_FALSE(is_alive(folder / "pid"));
}

TEST(Child, TheTimeLimitEndsTheWholeGroup) {
  const TemporaryFolder folder;
  auto request = shell(folder, "sleep 60 & echo $! > " + folder / "pid" + "; wait");
  request.seconds_max = 0.3;
  const auto end = run_child(request);
  EXPECT_TRUE(end.timed_out);
  EXPECT_LT(end.seconds, 30);
  EXPECT_FALSE(is_alive(folder / "pid"));
}

TEST(Child, WhatItLeavesBehindIsEndedAlsoInASessionOfItsOwn) {
  const TemporaryFolder folder;
  const auto end = run_child(shell(folder, "setsid sh -c 'echo $$ > " + folder / "pid" +
                                               "; exec sleep 60' & while ! [ -s " + folder / "pid" +
                                               " ]; do sleep 0.02; done"));
  EXPECT_EQ(end.status, 0);
  EXPECT_FALSE(is_alive(folder / "pid"));
}

TEST(Child, CancellingEndsIt) {
  const TemporaryFolder folder;
  auto request =
      shell(folder, "trap '' TERM; echo $$ > " + folder / "pid" + "; sleep 0.2; exec sleep 60");
  std::thread interrupter([] {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    request_cancel();
  });
  const auto end = run_child(request);
  interrupter.join();
  reset_cancel();
  EXPECT_TRUE(end.cancelled);
  EXPECT_FALSE(is_alive(folder / "pid"));
}

TEST(Child, AProgramThatIsNotThere) {
  const TemporaryFolder folder;
  ChildRequest request;
  request.argv = {"no-such-program-anywhere"};
  request.log = folder / "log.txt";
  EXPECT_THROW(run_child(request), Error);
  request.argv = {"true"};
  request.log = folder / "no/such/folder/log.txt";
  EXPECT_THROW(run_child(request), Error);
}

TEST(Child, TicksOnceASecond) {
  const TemporaryFolder folder;
  auto request = shell(folder, "sleep 1.4");
  int ticks = 0;
  request.tick = [&](double) { ++ticks; };
  run_child(request);
  EXPECT_EQ(ticks, 1);
}

}  // namespace
}  // namespace samestep
