#include "schemas/json/waivers_json.h"

#include <gtest/gtest.h>

#include "tests/schemas/json/edit.h"
#include "tests/schemas/json/expect_error.h"

namespace samestep {
namespace {

const std::vector<Waiver> kWaivers = {
    {"optimizer/param_groups/*/lr", "warm restart is wanted", "me", "2030-02-28"},
    {"loop/*", "a new log folder", "you", "2031-01-01"}};

TEST(WaiversJsonTest, GoesBothWays) {
  const std::string text = waivers_to_json(kWaivers);
  const auto back = waivers_from_json(text, "waivers.json");
  EXPECT_EQ(waivers_to_json(back), text);
  ASSERT_EQ(back.size(), 2u);
  EXPECT_EQ(back[0].owner, "me");
  EXPECT_EQ(back[1].field, "loop/*");
}

TEST(WaiversJsonTest, RefusesEachFaultByItsPointer) {
  const BadEdit cases[] = {
      {"waivers.v1", "waivers.v2", "w at /schema"},
      {"2030-02-28", "2030-02-29", "w at /waivers/0/expires: expected a date"},
      {"2030-02-28", "tomorrow", "w at /waivers/0/expires: expected a date"},
      {"\"a new log folder\"", "\"\"", "w at /waivers/1/reason: an empty text"},
      {"\"loop/*\"", "\"\"", "w at /waivers/1/field: an empty text"},
      {"\"reason\"", "\"because\"", "w at /waivers/0: key \"reason\" is missing"},
      {"\"owner\"", "\"x\": 1, \"owner\"", "w at /waivers/0/x: unknown key"},
  };
  const std::string text = waivers_to_json(kWaivers);
  for (const BadEdit& c : cases) {
    EXPECT_ERROR(waivers_from_json(edited(text, c.source, c.target), "w"), corrupt, c.says);
  }
}

}  // namespace
}  // namespace samestep
