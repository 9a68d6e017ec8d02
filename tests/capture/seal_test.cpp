// A record that was changed after it was written is told, whichever byte it is.
#include "capture/seal.h"

#include <gtest/gtest.h>

#include "schemas/check.h"
#include "schemas/error.h"
#include "schemas/json/capture_json.h"

namespace samestep {
namespace {

std::string world() { return sealed(capture_world_to_json({4, 1, {"rank-0.json"}})); }

/// Accepted by the seal and by the reader.
bool is_read(const std::string& text) {
  try {
    check_seal(text, "capture.json");
    capture_world_from_json(text, "capture.json");
    return true;
  } catch (const Error&) {
    return false;
  }
}

TEST(Seal, WhatWasSealedIsRead) {
  EXPECT_TRUE(is_read(world()));
  EXPECT_EQ(world().size(), capture_world_to_json({4, 1, {"rank-0.json"}}).size());
}

TEST(Seal, EveryFlippedBitAndEveryCutIsTold) {
  const std::string text = world();
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = text;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      EXPECT_FALSE(is_read(damaged)) << i << " " << bit;
    }
    EXPECT_FALSE(is_read(text.substr(0, i))) << i;
  }
  EXPECT_FALSE(is_read(text + "\n"));
}

TEST(Seal, AnEmptySealIsNoSeal) {
  EXPECT_FALSE(is_read(capture_world_to_json({4, 1, {"rank-0.json"}})));
  EXPECT_THROW(sealed("{}\n"), CheckFailure);
}

TEST(Seal, RecordsOfVersion1HaveNone) {
  EXPECT_TRUE(is_read(R"({
  "schema": "capture.v1",
  "document": "world",
  "step": 4,
  "world_size": 1,
  "ranks": ["rank-0.json"]
}
)"));
}

}  // namespace
}  // namespace samestep
