#include "checkpoint/containers/utf8.h"

#include <gtest/gtest.h>

namespace samestep {
namespace {

TEST(Utf8, AcceptsWellFormedText) {
  for (const char* text :
       {"", "plain", "\u00e9", "\u20ac", "\U0001F600", "\uD7FF", "\uE000", "\U0010FFFF"})
    EXPECT_EQ(first_invalid_utf8(text), std::string_view::npos) << text;
}

TEST(Utf8, FindsTheFirstBadByte) {
  EXPECT_EQ(first_invalid_utf8("ab\xFF"), 2u);
  EXPECT_EQ(first_invalid_utf8("\x80"), 0u);              // continuation without a start
  EXPECT_EQ(first_invalid_utf8("a\xC3"), 1u);             // cut
  EXPECT_EQ(first_invalid_utf8("\xC0\xAF"), 0u);          // overlong
  EXPECT_EQ(first_invalid_utf8("\xE0\x80\xAF"), 0u);      // overlong
  EXPECT_EQ(first_invalid_utf8("\xED\xA0\x80"), 0u);      // surrogate
  EXPECT_EQ(first_invalid_utf8("\xF4\x90\x80\x80"), 0u);  // beyond U+10FFFF
}

TEST(Utf8, WritesWhatItAccepts) {
  for (const std::uint32_t code :
       {0x0u, 0x7Fu, 0x80u, 0x7FFu, 0x800u, 0xD7FFu, 0xFFFFu, 0x10000u, 0x10FFFFu}) {
    std::string text;
    append_utf8(text, code);
    EXPECT_EQ(first_invalid_utf8(text), std::string_view::npos) << code;
  }
}

}  // namespace
}  // namespace samestep
