#include <gtest/gtest.h>

#include <cmath>

#include "schemas/json/field_json.h"
#include "tests/schemas/json/expect_error.h"

namespace samestep {
namespace {

JsonNode parse(const std::string& text) { return JsonNode::parse(text, "d"); }

std::string tagged(const Value& value) {
  JsonWriter writer;
  write_tagged(writer, value);
  return writer.take();
}

TEST(TaggedValueTest, EachKindHasItsTag) {
  EXPECT_EQ(tagged(None{}), R"({"none":null})");
  EXPECT_EQ(tagged(false), R"({"bool":false})");
  EXPECT_EQ(tagged(std::int64_t{5}), R"({"int":5})");
  EXPECT_EQ(tagged(BigInt{Bytes(9, std::byte{1})}), R"({"int_hex":"010101010101010101"})");
  EXPECT_EQ(tagged(0.1), R"({"float":0.1})");
  EXPECT_EQ(tagged(HUGE_VAL), R"({"float":"7ff0000000000000"})");
  EXPECT_EQ(tagged(std::string("x")), R"({"str":"x"})");
  EXPECT_EQ(tagged(std::string("\xFF")), R"({"str_hex":"ff"})");
  EXPECT_EQ(tagged(Bytes{std::byte{10}}), R"({"bytes":"0a"})");
  EXPECT_EQ(tagged(Numbers{std::vector<std::int64_t>{1}}), R"({"ints":[1]})");
  EXPECT_EQ(tagged(Numbers{std::vector<double>{1}}), R"({"floats":[1.0]})");
}

TEST(TaggedValueTest, RefusesWhatHasNoTag) {
  for (const char* bad : {"5", "{}", R"({"int":1,"str":""})", R"({"none":0})", R"({"int":1.5})",
                          R"({"int":9223372036854775808})", R"({"bytes":"0"})", R"({"bytes":"0G"})",
                          R"({"float":"nan"})", R"({"ints":[1.5]})", R"({"complex":[0,1]})"}) {
    EXPECT_ERROR(read_tagged(parse(bad)), corrupt, "d at /");
  }
}

TEST(PlainValueTest, ReadsScalarsListsAndCounts) {
  EXPECT_EQ(read_plain(parse("null")), Value(None{}));
  EXPECT_EQ(read_plain(parse("-3")), Value(std::int64_t{-3}));
  EXPECT_EQ(decimal(*read_plain(parse("18446744073709551615"))), "18446744073709551615");
  EXPECT_EQ(read_plain(parse("[1,2]")), Value(Numbers{std::vector<std::int64_t>{1, 2}}));
  EXPECT_EQ(read_plain(parse("[1,\"inf\"]")), Value(Numbers{std::vector<double>{1, HUGE_VAL}}));
  EXPECT_FALSE(read_plain(parse(R"({"bytes":12})")));
  EXPECT_FALSE(read_plain(parse(R"({"numbers":12})")));
}

TEST(PlainValueTest, RefusesTheRest) {
  for (const char* bad : {"{}", R"({"bytes":-1})", R"({"x":1})", R"(["a"])", "[[1]]",
                          "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]", "-99999999999999999999"}) {
    EXPECT_ERROR(read_plain(parse(bad)), corrupt, "d at /");
  }
}

}  // namespace
}  // namespace samestep
