#include "checkpoint/pickle/literals.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "checkpoint/pickle/key_text.h"

namespace samestep::pickle {
namespace {

std::string decimal_text(std::string_view text) {
  Graph graph;
  const auto id = add_decimal(graph, text);
  return id ? decimal_of(graph, *id) : "none";
}

TEST(Literals, DecimalIntegersOfAnySize) {
  for (const char* text :
       {"0", "-1", "127", "128", "-128", "-129", "9223372036854775807", "-9223372036854775808",
        "9223372036854775808", "-9223372036854775809", "340282366920938463463374607431768211456"}) {
    EXPECT_EQ(decimal_text(text), text);
  }
  EXPECT_EQ(decimal_text("+7"), "7");
  EXPECT_EQ(decimal_text("007"), "7");
  EXPECT_EQ(decimal_text("-0"), "0");
  for (const char* text : {"", "-", "+", "1 ", "0x1", "1_0", "--1"})
    EXPECT_EQ(decimal_text(text), "none") << text;
}

TEST(Literals, IntegersThatFit64BitsAreNotBig) {
  Graph graph;
  const std::string bytes("\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00", 10);
  const auto all = std::as_bytes(std::span<const char>(bytes));
  EXPECT_EQ(graph.kind(add_long(graph, all)), Kind::big_integer);
  EXPECT_EQ(graph.bytes(add_long(graph, all)).size(), 9u);
  EXPECT_EQ(graph.integer(add_long(graph, all.first(8))), -1);
  EXPECT_EQ(graph.integer(add_long(graph, {})), 0);
}

TEST(Literals, RealsAsPythonReadsThem) {
  EXPECT_EQ(parse_real("1.5"), 1.5);
  EXPECT_EQ(parse_real("+1e3"), 1000);
  EXPECT_TRUE(std::isnan(*parse_real("nan")));
  EXPECT_EQ(parse_real("-inf"), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(parse_real("1e999"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(parse_real("1e-999"), 0.0);
  for (const char* text : {"", "x", "1.5x", "1,5"}) EXPECT_FALSE(parse_real(text)) << text;
}

TEST(Literals, Wtf8AllowsSurrogatesOnly) {
  EXPECT_TRUE(is_wtf8("plain"));
  EXPECT_TRUE(is_wtf8("\xed\xa0\x80 \xed\xbf\xbf"));
  EXPECT_FALSE(is_wtf8("\xed\xa0"));
  EXPECT_FALSE(is_wtf8("\xc0\x80"));
  EXPECT_FALSE(is_wtf8("ok \xff"));
}

TEST(Literals, StringEscapesOfPython2) {
  EXPECT_EQ(unescape_string(R"('a\tb\\c\'d')"), "a\tb\\c'd");
  EXPECT_EQ(unescape_string(R"("\x41\101\q")"), "AA\\q");
  EXPECT_EQ(unescape_string("''"), "");
  for (const char* text : {"", "'", "'a", "a'", "'a\"", R"('\x4')", R"('\)"})
    EXPECT_FALSE(unescape_string(text)) << text;
}

TEST(Literals, UnicodeEscapesOfPython2) {
  EXPECT_EQ(unescape_unicode("a\\u00e9\\U0001F600\xe9"), "a\xc3\xa9\xf0\x9f\x98\x80\xc3\xa9");
  EXPECT_EQ(unescape_unicode("\\n"), "\\n");
  for (const char* text : {"\\u12", "\\u12g4", "\\U00110000"})
    EXPECT_FALSE(unescape_unicode(text)) << text;
}

TEST(Literals, Latin1BytesOfUtf8) {
  EXPECT_EQ(latin1_bytes("a\xc3\xbf\xc2\x80"), "a\xff\x80");
  EXPECT_FALSE(latin1_bytes("\xc4\x80"));
  EXPECT_FALSE(latin1_bytes("\xc3"));
}

}  // namespace
}  // namespace samestep::pickle
