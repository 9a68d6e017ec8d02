#include "schemas/json/node.h"

#include <gtest/gtest.h>

#include "tests/schemas/json/expect_error.h"

namespace samestep {
namespace {

JsonNode parse(const std::string& text, const JsonLimits& limits = {}) {
  return JsonNode::parse(text, "doc", limits);
}

TEST(JsonNodeTest, ReadsEachKind) {
  const JsonNode root =
      parse(R"({"n":null,"b":true,"i":-5,"f":0.1,"s":"caf\u00e9","a":[1,2],"o":{}})");
  EXPECT_TRUE(root.at("n").is_null());
  EXPECT_TRUE(root.at("b").as_bool());
  EXPECT_EQ(root.at("i").as_int(), -5);
  EXPECT_EQ(root.at("f").as_double(), 0.1);
  EXPECT_EQ(root.at("s").as_string(), "caf\xC3\xA9");
  EXPECT_EQ(root.at("a")[1].as_int(), 2);
  EXPECT_EQ(root.at("a").elements().size(), 2u);
  EXPECT_EQ(root.at("o").size(), 0u);
  EXPECT_FALSE(root.find("x"));
  EXPECT_EQ(parse("17").as_double(), 17.0);
  EXPECT_EQ(parse("-9007199254740993").as_double(), -9007199254740992.0);
  EXPECT_EQ(parse("123456789012345678901234567890").as_double(), 123456789012345678901234567890.0);
}

TEST(JsonNodeTest, MembersKeepTheOrderOfTheText) {
  std::string names;
  for (const JsonNode& member : parse(R"({"z":1,"a":2,"m":3})").items()) names += member.key();
  EXPECT_EQ(names, "zam");
}

TEST(JsonNodeTest, IntegersAreExactAtEverySize) {
  EXPECT_EQ(parse("18446744073709551615").as_unsigned(), 18446744073709551615u);
  EXPECT_EQ(parse("-9223372036854775808").as_int(), INT64_MIN);
  const JsonNode big = parse("-123456789012345678901234567890");
  EXPECT_TRUE(big.is_integer());
  EXPECT_EQ(big.integer_text(), "-123456789012345678901234567890");
  EXPECT_ERROR(big.as_int(), corrupt, "does not fit in 64 bits");
  EXPECT_ERROR(parse("-1").as_unsigned(), corrupt, "negative");
  EXPECT_ERROR(parse("1.0").as_int(), corrupt, "expected an integer, found a fractional number");
}

TEST(JsonNodeTest, ErrorsNameTheJsonPointer) {
  const JsonNode root = parse(R"({"a/b":[{"c~":"x"}]})");
  const JsonNode leaf = root.at("a/b")[0].at("c~");
  EXPECT_EQ(leaf.pointer(), "/a~1b/0/c~0");
  EXPECT_ERROR(leaf.as_int(), corrupt, "doc at /a~1b/0/c~0: expected an integer, found a string");
  EXPECT_ERROR(root.at("q"), corrupt, "doc at /: key \"q\" is missing");
  EXPECT_ERROR(root.at("a/b")[1], corrupt, "doc at /a~1b: element 1 is missing");
  EXPECT_ERROR(root.at("a/b").at("x"), corrupt, "expected an object, found an array");
  EXPECT_ERROR(root.as_bool(), corrupt, "expected a boolean, found an object");
}

TEST(JsonNodeTest, ANodeKeepsItsDocumentAlive) {
  const JsonNode leaf = [] { return parse(R"({"a":["kept"]})").at("a")[0]; }();
  EXPECT_EQ(leaf.as_string(), "kept");
}

}  // namespace
}  // namespace samestep
