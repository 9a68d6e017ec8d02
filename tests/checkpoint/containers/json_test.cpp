#include "checkpoint/containers/json.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "../foreign.h"
#include "schemas/error.h"

namespace samestep {
namespace {

using Kind = JsonNode::Kind;

JsonNode parse(const std::string& text, JsonDialect dialect = JsonDialect::strict) {
  return parse_json(foreign::slice_of(text), dialect);
}

TEST(Json, ReadsEachKindOfValue) {
  const JsonNode node = parse(R"( {"a":[null,true,false,-7,2.5e1,"t"],"b":{}} )");
  ASSERT_EQ(node.kind, Kind::object);
  const JsonNode& list = *node.find("a");
  ASSERT_EQ(list.items.size(), 6u);
  EXPECT_EQ(list.items[0].kind, Kind::null);
  EXPECT_TRUE(list.items[1].boolean);
  EXPECT_FALSE(list.items[2].boolean);
  EXPECT_EQ(list.items[3].as_int64(), -7);
  EXPECT_EQ(list.items[4].real, 25.0);
  EXPECT_EQ(list.items[5].text, "t");
  EXPECT_EQ(node.find("b")->kind, Kind::object);
  EXPECT_EQ(node.find("c"), nullptr);
}

TEST(Json, KeepsTheOrderOfMembers) {
  EXPECT_THAT(parse(R"({"z":1,"a":2,"m":3})").names, testing::ElementsAre("z", "a", "m"));
}

TEST(Json, ReadsIntegersExactlyOrNotAtAll) {
  EXPECT_EQ(parse("9223372036854775807").as_int64(), INT64_MAX);
  EXPECT_EQ(parse("-9223372036854775808").as_int64(), INT64_MIN);
  EXPECT_EQ(parse("9223372036854775808").as_int64(), std::nullopt);
  EXPECT_EQ(parse("18446744073709551615").as_uint64(), UINT64_MAX);
  EXPECT_EQ(parse("18446744073709551616").as_uint64(), std::nullopt);
  EXPECT_EQ(parse("-1").as_uint64(), std::nullopt);
  EXPECT_EQ(parse("1.0").as_int64(), std::nullopt);
  EXPECT_EQ(parse("18446744073709551616").text, "18446744073709551616");
}

TEST(Json, ReadsEscapes) {
  EXPECT_EQ(parse(R"("\"\\\/\b\f\n\r\t")").text, "\"\\/\b\f\n\r\t");
  EXPECT_EQ(parse(R"("\u0041\u00e9\u20ac\ud83d\ude00")").text, "A\u00e9\u20ac\U0001F600");
}

TEST(Json, PythonsOwnWordsAreReadOnlyWhenAskedFor) {
  for (const char* text : {"NaN", "Infinity", "-Infinity", "1e999", R"("\ud800")"}) {
    EXPECT_THROW(parse(text), Error) << text;
    EXPECT_NO_THROW(parse(text, JsonDialect::python)) << text;
  }
  EXPECT_TRUE(std::isnan(parse("NaN", JsonDialect::python).real));
  EXPECT_EQ(parse("-Infinity", JsonDialect::python).real, -INFINITY);
  EXPECT_EQ(parse(R"("\ud800")", JsonDialect::python).text, "\xED\xA0\x80");
}

TEST(Json, RefusesWhatIsNotJson) {
  for (const char* text : {"",         " ",           "{",         "}",           "[",
                           "[1",       "[1,",         "[1,]",      "{\"a\"",      "{\"a\":",
                           "{\"a\":1", "{\"a\":1,}",  "{a:1}",     "{1:2}",       "nul",
                           "tru",      "+1",          "01",        "-",           ".5",
                           "1.",       "1e",          "1e+",       "\"",          "\"a",
                           "\"\\\"",   "\"\\x\"",     "\"\\u12\"", "\"\\u12g4\"", "\"\n\"",
                           "1 2",      "[] []",       "'a'",       "// c\n1",     "\xEF\xBB\xBF{}",
                           "\"\xFF\"", "\"\xC0\xAF\""})
    EXPECT_THROW(parse(text), Error) << text;
}

TEST(Json, RefusesAMemberNamedTwice) {
  EXPECT_THAT([] { parse(R"({"a":1,"b":{"c":1,"c":2}})"); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("\"c\" twice")));
}

TEST(Json, SaysWhereItStopped) {
  EXPECT_THAT([] { parse("{\"a\": 1, \"b\": ?}"); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("offset 14")));
}

TEST(Json, BoundsDepthAndSize) {
  const auto nested = [](int depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_NO_THROW(parse(nested(kJsonDepthMax)));
  EXPECT_THROW(parse(nested(kJsonDepthMax + 2)), Error);
  EXPECT_THROW(parse(nested(1'000'000)), Error);
  std::string many = "[0";
  for (std::size_t i = 0; i < kJsonNodesMax; ++i) many += ",0";
  EXPECT_THROW(parse(many + "]"), Error);
  EXPECT_THROW(parse(std::string(5000, '1')), Error);
}

}  // namespace
}  // namespace samestep
