#include <gtest/gtest.h>

#include <cmath>

#include "schemas/json/node.h"
#include "tests/schemas/json/expect_error.h"

namespace samestep {
namespace {

JsonNode parse(const std::string& text, const JsonLimits& limits = {}) {
  return JsonNode::parse(text, "doc", limits);
}

TEST(JsonParseTest, RefusesWhatIsNotJson) {
  for (const char* bad : {"", " ", "{", "[1,]", "{\"a\":1,}", "nul", "1 2", "{'a':1}", "[1] x",
                          "\"\xFF\"", "\"\\ud800\"", "// c\n1", "NaN", "[Infinity]", "01", "+1",
                          "\"\n\"", "\xEF\xBB\xBF{}", "1e999"}) {
    EXPECT_ERROR(parse(bad), corrupt, "not valid JSON");
  }
  EXPECT_ERROR(parse("[1, x]"), corrupt, "doc, byte 4");
}

TEST(JsonParseTest, RefusesDuplicateKeysUnlessAsked) {
  const std::string text = R"({"a":{"k":1,"b":0,"k":2}})";
  EXPECT_ERROR(parse(text), corrupt, "doc at /a: key \"k\" stands twice");
  JsonLimits limits;
  limits.duplicate_keys = true;
  const JsonNode object = parse(text, limits).at("a");
  EXPECT_EQ(object.at("k").as_int(), 2);
  EXPECT_EQ(object.size(), 2u);
}

TEST(JsonParseTest, KeepsWithinItsLimits) {
  JsonLimits limits;
  limits.depth = 3;
  EXPECT_EQ(parse("[[[1]]]", limits)[0][0][0].as_int(), 1);
  EXPECT_ERROR(parse("[[[[1]]]]", limits), limit, "deeper than 3");
  limits.nodes = 3;
  EXPECT_ERROR(parse("[1,2,3]", limits), limit, "more than 3 JSON values");
  limits.text_bytes = 2;
  EXPECT_ERROR(parse("[1]", limits), limit, "3 bytes, at most 2");
  EXPECT_ERROR(parse(std::string(10'000'000, '[')), limit, "deeper than 64");
}

TEST(JsonParseTest, ReadsNonFiniteFloatsOfPythonWhenAsked) {
  JsonLimits limits;
  limits.non_finite = true;
  const JsonNode list =
      parse(R"([NaN, Infinity,-Infinity, "NaN \" Infinity", {"NaN": 1}, 0.5])", limits);
  EXPECT_TRUE(std::isnan(list[0].as_double()));
  EXPECT_EQ(list[1].as_double(), HUGE_VAL);
  EXPECT_EQ(list[2].as_double(), -HUGE_VAL);
  EXPECT_EQ(list[3].as_string(), "NaN \" Infinity");
  EXPECT_EQ(list[4].at("NaN").as_int(), 1);
  EXPECT_EQ(list[5].as_double(), 0.5);
  EXPECT_ERROR(parse("[NaNNaN]", limits), corrupt, "not valid JSON");
  EXPECT_ERROR(parse("[\"NaN\\", limits), corrupt, "not valid JSON");
}

}  // namespace
}  // namespace samestep
