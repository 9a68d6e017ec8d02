#include "checkpoint/formats/json_state.h"

#include <gmock/gmock.h>

#include <cmath>

#include "../foreign.h"
#include "schemas/error.h"

namespace samestep {
namespace {

Document read(const std::string& text) {
  return read_json_state(foreign::slice_of(text, "state.json"));
}

TEST(JsonState, HasALeafAScalar) {
  const Document document = read(
      R"({"step":5,"best":null,"on":true,"rate":0.5,"log":[{"loss":"x"}],"none":{},"empty":[]})");
  ASSERT_EQ(document.leaves.size(), 5u);
  EXPECT_EQ(document.leaves[0].value, Value(std::int64_t{5}));
  EXPECT_EQ(document.leaves[1].value, Value(None{}));
  EXPECT_EQ(document.leaves[2].value, Value(true));
  EXPECT_EQ(document.leaves[3].value, Value(0.5));
  EXPECT_EQ(document.leaves[4].value, Value(std::string("x")));
  EXPECT_THAT(document.leaves[4].source.keys,
              testing::ElementsAre(SourceKey{SourceKey::Kind::string, "log"},
                                   SourceKey{SourceKey::Kind::integer, "0"},
                                   SourceKey{SourceKey::Kind::string, "loss"}));
  EXPECT_EQ(document.leaves[4].source.file, "state.json");
  EXPECT_NE(document.leaves[0].bytes, nullptr);
}

TEST(JsonState, PacksLongListsOfNumbers) {
  std::string integers = "[0", reals = "[0.5", mixed = "[0";
  for (int i = 1; i < 65; ++i) {
    integers += "," + std::to_string(i);
    reals += ",0.5";
    mixed += ",0.5";
  }
  EXPECT_EQ(read(R"({"a":)" + integers + "]}").leaves.size(), 1u);
  EXPECT_EQ(read(R"({"a":)" + reals + "]}").leaves.size(), 1u);
  EXPECT_EQ(read(R"({"a":)" + mixed + "]}").leaves.size(), 65u);
  EXPECT_EQ(read(R"({"a":[1,2,3]})").leaves.size(), 3u);
}

TEST(JsonState, ReadsWhatPythonWrites) {
  const Document document = read(
      R"({"a":NaN,"b":-Infinity,"c":123456789012345678901234567890,"d":-9223372036854775809,"e":-128})");
  EXPECT_TRUE(std::isnan(std::get<double>(document.leaves[0].value)));
  EXPECT_EQ(std::get<double>(document.leaves[1].value), -INFINITY);
  EXPECT_EQ(decimal(document.leaves[2].value), "123456789012345678901234567890");
  EXPECT_EQ(decimal(document.leaves[3].value), "-9223372036854775809");
  EXPECT_EQ(decimal(document.leaves[4].value), "-128");
}

TEST(JsonState, RefusesWhatIsCut) {
  EXPECT_THROW(read(R"({"step": 5)"), Error);
  EXPECT_THROW(read(R"({"a":1,"a":2})"), Error);
}

}  // namespace
}  // namespace samestep
