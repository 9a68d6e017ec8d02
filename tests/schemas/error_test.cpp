#include "schemas/error.h"

#include <gtest/gtest.h>

namespace samestep {
namespace {

TEST(ErrorTest, TextIsOneLineWithWhereMessageAndRemedy) {
  const Error error(ErrorCode::corrupt, "the header\nends early", "a\tb.pt", "save it again");
  EXPECT_STREQ(error.what(), "a\\x09b.pt: the header\\x0Aends early; save it again");
  EXPECT_EQ(error.code(), ErrorCode::corrupt);
  EXPECT_EQ(error.message(), "the header\nends early");
  EXPECT_EQ(error.where(), "a\tb.pt");
  EXPECT_EQ(error.remedy(), "save it again");
}

TEST(ErrorTest, EmptyPartsLeaveNoPunctuation) {
  EXPECT_STREQ(Error(ErrorCode::failed, "message", "").what(), "message");
  EXPECT_STREQ(Error(ErrorCode::failed, "message", "place").what(), "place: message");
}

TEST(ErrorTest, CodesHaveTheirPinnedNames) {
  EXPECT_STREQ(to_string(ErrorCode::not_found), "not_found");
  EXPECT_STREQ(to_string(ErrorCode::unreadable), "unreadable");
  EXPECT_STREQ(to_string(ErrorCode::corrupt), "corrupt");
  EXPECT_STREQ(to_string(ErrorCode::unsupported), "unsupported");
  EXPECT_STREQ(to_string(ErrorCode::limit), "limit");
  EXPECT_STREQ(to_string(ErrorCode::usage), "usage");
  EXPECT_STREQ(to_string(ErrorCode::failed), "failed");
}

struct PrintableCase {
  std::string text, expected;
};

TEST(PrintableTest, EscapesWhatATerminalWouldObey) {
  const PrintableCase cases[] = {
      {"plain text", "plain text"},
      {"\x1b[31mred", "\\x1B[31mred"},
      {std::string("nul\0end", 7), "nul\\x00end"},
      {"caf\xC3\xA9 \xE6\xBC\xA2 \xF0\x9F\x98\x80", "caf\xC3\xA9 \xE6\xBC\xA2 \xF0\x9F\x98\x80"},
      {"\xC2\x9B"
       "2J",
       "\\xC2\\x9B"
       "2J"},
      {"\xE2\x80\xAE"
       "gnp",
       "\\xE2\\x80\\xAE"
       "gnp"},
      {"\xFF\xFE", "\\xFF\\xFE"},
      {"\xC3", "\\xC3"},
      {"\xC0\xAF", "\\xC0\\xAF"},
      {"\xED\xA0\x80", "\\xED\\xA0\\x80"},
      {"\xF4\x90\x80\x80", "\\xF4\\x90\\x80\\x80"},
  };
  for (const PrintableCase& c : cases) EXPECT_EQ(printable(c.text), c.expected) << c.expected;
}

TEST(PrintableTest, CutsBetweenCharacters) {
  EXPECT_EQ(printable("abcdef", 3), "abc...");
  EXPECT_EQ(printable("abc", 3), "abc");
  EXPECT_EQ(printable("ab\xC3\xA9", 3), "ab...");
}

}  // namespace
}  // namespace samestep
