#include "schemas/json/writer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "schemas/check.h"
#include "schemas/json/node.h"

namespace samestep {
namespace {

TEST(JsonWriterTest, LineStyleHasNoSpaces) {
  JsonWriter writer;
  writer.object().key("a").array().integer(std::int64_t{-1}).number(1).null().end();
  writer.key("b").boolean(false).key("c").object().end().end();
  EXPECT_EQ(writer.take(), R"({"a":[-1,1.0,null],"b":false,"c":{}})");
}

TEST(JsonWriterTest, IndentedStyleKeepsCompactPartsOnOneLine) {
  JsonWriter writer(JsonWriter::Style::indented);
  writer.object().key("list").array(true).integer(std::uint64_t{1}).object().key("k").null();
  writer.end().end().key("deep").array().object().end().array().end().end().end();
  EXPECT_EQ(writer.take(),
            "{\n  \"list\": [1, {\"k\": null}],\n  \"deep\": [\n    {},\n    []\n  ]\n}\n");
}

TEST(JsonWriterTest, FloatsReadBackAsTheSameBits) {
  for (const double number :
       {0.1, -0.0, 1e300, 5e-324, 3.0, 1.7976931348623157e308, 123456789.125}) {
    JsonWriter writer;
    const double back = JsonNode::parse(writer.number(number).take(), "").as_double();
    EXPECT_EQ(back, number);
    EXPECT_EQ(std::signbit(back), std::signbit(number));
  }
  JsonWriter writer;
  writer.array().number(std::nan("")).number(HUGE_VAL).number(-HUGE_VAL).end();
  EXPECT_EQ(writer.take(), R"(["nan","inf","-inf"])");
}

TEST(JsonWriterTest, AnyBytesBecomeValidJson) {
  EXPECT_EQ(json_string("a\"\\\n\t\x01\x7f"), R"("a\"\\\n\t\u0001\u007f")");
  EXPECT_EQ(json_string("\xFF\xC3\xA9"), "\"\\\\xff\xC3\xA9\"");
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  EXPECT_NO_THROW(JsonNode::parse(json_string(all), "all bytes"));
}

TEST(JsonWriterTest, AWrongOrderIsOurMistake) {
  EXPECT_THROW(JsonWriter().take(), CheckFailure);
  EXPECT_THROW(JsonWriter().end(), CheckFailure);
  EXPECT_THROW(JsonWriter().null().null(), CheckFailure);
  EXPECT_THROW(JsonWriter().array().key("a"), CheckFailure);
  EXPECT_THROW(JsonWriter().object().null(), CheckFailure);
  EXPECT_THROW(JsonWriter().object().key("a").end(), CheckFailure);
  EXPECT_THROW(JsonWriter().object().take(), CheckFailure);
}

}  // namespace
}  // namespace samestep
