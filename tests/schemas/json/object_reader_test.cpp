#include "schemas/json/object_reader.h"

#include <gtest/gtest.h>

#include "tests/schemas/json/expect_error.h"

namespace samestep {
namespace {

ObjectReader reader_of(const std::string& text) { return ObjectReader(JsonNode::parse(text, "d")); }

TEST(ObjectReaderTest, ReadsWhatIsAskedFor) {
  ObjectReader reader =
      reader_of(R"({"s":"x","b":true,"n":0.5,"c":7,"i":-7,"l":["a","b"],"m":[1,2]})");
  EXPECT_EQ(reader.string("s"), "x");
  EXPECT_TRUE(reader.boolean("b"));
  EXPECT_EQ(reader.number("n"), 0.5);
  EXPECT_EQ(reader.count("c"), 7u);
  EXPECT_EQ(reader.integer("i"), -7);
  EXPECT_EQ(reader.strings("l"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(reader.integers("m"), (std::vector<std::int64_t>{1, 2}));
  EXPECT_FALSE(reader.find("absent"));
  EXPECT_NO_THROW(reader.done());
}

TEST(ObjectReaderTest, AKeyThatNobodyAskedForIsUnknown) {
  ObjectReader reader = reader_of(R"({"a":1,"b":2})");
  reader.integer("a");
  EXPECT_ERROR(reader.done(), corrupt, "d at /b: unknown key");
}

TEST(ObjectReaderTest, RefusesWrongShapes) {
  EXPECT_ERROR(reader_of("[]"), corrupt, "d at /: expected an object, found an array");
  ObjectReader reader = reader_of(R"({"i":3000000000,"l":["a",1],"schema":"x.v1"})");
  EXPECT_ERROR(reader.small("i"), corrupt, "d at /i: the number is too large");
  EXPECT_ERROR(reader.integer("i", 4000000000), corrupt, "d at /i: expected at least 4000000000");
  EXPECT_ERROR(reader.strings("l"), corrupt, "d at /l/1: expected a string");
  EXPECT_ERROR(reader.get("x"), corrupt, "d at /: key \"x\" is missing");
  EXPECT_ERROR(reader.schema("y.v1"), corrupt, "d at /schema: schema \"x.v1\" is not y.v1");
}

}  // namespace
}  // namespace samestep
