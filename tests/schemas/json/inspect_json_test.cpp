#include "schemas/json/inspect_json.h"

#include <gtest/gtest.h>

#include <cmath>

#include "schemas/json/node.h"
#include "tests/schemas/json/edit.h"
#include "tests/schemas/json/expect_error.h"
#include "tests/schemas/json/samples.h"

namespace samestep {
namespace {

TEST(InspectJsonTest, GoesBothWays) {
  const std::string text = inspection_to_json(sample_inspection());
  const Inspection back = inspection_from_json(text, "inspection");
  EXPECT_EQ(inspection_to_json(back), text);
  EXPECT_EQ(back.step, 4);
  EXPECT_EQ(back.fields[0].field.shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(back.components.at("loop").bytes, 54u);
}

TEST(InspectJsonTest, KeysAreWrittenAsTheyStandInTheFile) {
  const JsonNode root = JsonNode::parse(inspection_to_json(sample_inspection()), "");
  const JsonNode keys = root.at("fields")[0].at("source").at("keys");
  EXPECT_EQ(keys[0].as_string(), "state");
  EXPECT_EQ(keys[1].as_int(), 0);
  EXPECT_EQ(keys[2].at("attr").as_string(), "exp_avg");
  EXPECT_EQ(keys[3].at("repr").as_string(), "(1, 2)");
}

struct PlainCase {
  Value value;
  const char* text;
};

TEST(InspectJsonTest, ValuesArePlain) {
  const PlainCase cases[] = {
      {std::int64_t{INT64_MIN}, "-9223372036854775808"},
      {BigInt{Bytes{std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0},
                    std::byte{0}, std::byte{0}, std::byte{0x80}, std::byte{0}}},
       "9223372036854775808"},
      {BigInt{Bytes{std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0},
                    std::byte{0}, std::byte{0}, std::byte{0}, std::byte{1}}},
       "\"18446744073709551616\""},
      {std::nan(""), "\"nan\""},
      {-HUGE_VAL, "\"-inf\""},
      {std::string("\xFF"), "\"\\\\xff\""},
      {Bytes(3), "{\"bytes\": 3}"},
      {Numbers{std::vector<std::int64_t>(17)}, "{\"numbers\": 17}"},
      {Numbers{std::vector<double>{0.5, std::nan("")}}, "[0.5, \"nan\"]"},
  };
  for (const PlainCase& c : cases) {
    Inspection inspection = sample_inspection();
    inspection.fields[3].field.value = c.value;
    const std::string text = inspection_to_json(inspection);
    EXPECT_NE(text.find(std::string("\"value\": ") + c.text), std::string::npos) << c.text;
    EXPECT_NO_THROW(inspection_from_json(text, "i")) << c.text;
  }
}

TEST(InspectJsonTest, RefusesEachFaultByItsPointer) {
  const BadEdit cases[] = {
      {"inspect.v1", "inspect.v0", "i at /schema"},
      {"\"step\": 4", "\"step\": -4", "i at /step"},
      {std::string(64, 'a'), "abc", "i at /fields/0/digest/sha256"},
      {"\"xxh3\"", "\"md5\"", "i at /fields/0/digest/md5: unknown key"},
      {"\"layout\"", "\"Layout\"", "i at /fields/0: key \"layout\" is missing"},
      {"{\"attr\"", "{\"attribute\"", "i at /fields/0/source/keys/2/attribute"},
      {"\"opaque\"", "\"object\"", "i at /fields/1/kind"},
      {"\"value\": true", "\"value\": {\"a\": 1}", "i at /fields/3/value: expected a value"},
      {"\"why\"", "\"reason\"", "i at /absent/0: key \"why\" is missing"},
      {"\"notes\"", "\"x\": 0, \"notes\"", "i at /x: unknown key"},
  };
  const std::string text = inspection_to_json(sample_inspection());
  for (const BadEdit& c : cases) {
    EXPECT_ERROR(inspection_from_json(edited(text, c.source, c.target), "i"), corrupt, c.says);
  }
}

}  // namespace
}  // namespace samestep
