#include "tools/progress.h"

#include <gtest/gtest.h>

namespace samestep {
namespace {

std::string shown(bool on_terminal) {
  Screen screen;
  screen.progress = on_terminal;
  ::testing::internal::CaptureStderr();
  {
    ProgressLine line(screen);
    line.show("uninterrupted leg: 1 s");
    line.show("uninterrupted leg: 1 s");
    line.show("resumed\x1b leg");
  }
  return ::testing::internal::GetCapturedStderr();
}

TEST(ProgressLineTest, WritesOverItselfAndLeavesNothing) {
  EXPECT_EQ(shown(true), "\r\x1b[Kuninterrupted leg: 1 s\r\x1b[Kresumed\\x1B leg\r\x1b[K");
}

TEST(ProgressLineTest, SaysNothingWithoutATerminal) { EXPECT_EQ(shown(false), ""); }

}  // namespace
}  // namespace samestep
