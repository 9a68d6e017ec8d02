#include "schemas/json/dump.h"

#include <gtest/gtest.h>

namespace samestep {
namespace {

TEST(JsonDumpTest, WritesWhatWasRead) {
  const std::string text =
      R"({"z":[1,-2.5,"x",null,true,{}],"a":18446744073709551616,"k\"":{"b":[]}})";
  EXPECT_EQ(json_text(JsonNode::parse(text, "")), text);
}

TEST(JsonDumpTest, CanonicalTextOfOneValue) {
  EXPECT_EQ(canonical_json(" { \"a\" : 1.50 } "), R"({"a":1.5})");
  EXPECT_EQ(canonical_json("2.13.0"), R"("2.13.0")");
  EXPECT_EQ(canonical_json(""), R"("")");
}

}  // namespace
}  // namespace samestep
