#include "tools/screen.h"

#include <gtest/gtest.h>

namespace samestep {
namespace {

TEST(ScreenTest, PaintsOnlyWithColour) {
  Screen screen;
  EXPECT_EQ(screen.paint("same", Screen::Ink::green), "same");
  screen.colour = true;
  EXPECT_EQ(screen.paint("same", Screen::Ink::green), "\x1b[1;32msame\x1b[0m");
  EXPECT_EQ(screen.paint("same", Screen::Ink::plain), "same");
  EXPECT_EQ(screen.paint("", Screen::Ink::red), "");
}

TEST(ScreenTest, EachInkEndsWhereItBegan) {
  Screen screen;
  screen.colour = true;
  for (const auto ink : {Screen::Ink::bold, Screen::Ink::dim, Screen::Ink::red, Screen::Ink::green,
                         Screen::Ink::yellow}) {
    const std::string text = screen.paint("x", ink);
    EXPECT_EQ(text.front(), '\x1b');
    EXPECT_EQ(text.substr(text.size() - 4), "\x1b[0m");
  }
}

}  // namespace
}  // namespace samestep
