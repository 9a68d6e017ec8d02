#include "schemas/json/document.h"

#include <gtest/gtest.h>

#include "schemas/check.h"
#include "tests/schemas/json/expect_error.h"

namespace samestep {
namespace {

TEST(JsonBuilderTest, BuildsWhatTheEventsSay) {
  JsonBuilder builder("d", {});
  builder.open(JsonNode::Kind::object);
  builder.key("list");
  builder.open(JsonNode::Kind::array);
  builder.integer("7");
  builder.string("x");
  builder.close();
  builder.key("flag");
  builder.boolean(true);
  builder.close();
  const JsonNode root = builder.finish();
  EXPECT_EQ(root.at("list")[0].as_int(), 7);
  EXPECT_EQ(root.at("list")[1].pointer(), "/list/1");
  EXPECT_TRUE(root.at("flag").as_bool());
}

TEST(JsonBuilderTest, OfManyEqualKeysTheLastStaysInItsPlace) {
  JsonLimits limits;
  limits.duplicate_keys = true;
  JsonBuilder builder("d", limits);
  builder.open(JsonNode::Kind::object);
  for (const char* name : {"a", "b", "a", "c", "a"}) {
    builder.key(name);
    builder.string(name);
  }
  builder.close();
  const JsonNode root = builder.finish();
  std::string names;
  for (const JsonNode& member : root.items()) names += member.key();
  EXPECT_EQ(names, "bca");
}

TEST(JsonBuilderTest, AnOpenDocumentIsOurMistake) {
  JsonBuilder empty("d", {});
  EXPECT_THROW(empty.finish(), CheckFailure);
  JsonBuilder open("d", {});
  open.open(JsonNode::Kind::array);
  EXPECT_THROW(open.finish(), CheckFailure);
}

TEST(JsonBuilderTest, LimitsCountEveryValue) {
  JsonLimits limits;
  limits.nodes = 2;
  JsonBuilder builder("d", limits);
  builder.open(JsonNode::Kind::array);
  builder.null();
  EXPECT_ERROR(builder.null(), limit, "more than 2 JSON values");
}

}  // namespace
}  // namespace samestep
