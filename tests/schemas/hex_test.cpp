#include "schemas/hex.h"

#include <gtest/gtest.h>

namespace samestep {
namespace {

TEST(HexTest, OddOrForeignDigitsAreNothing) {
  EXPECT_EQ(hex_of(std::uint64_t{255}), "00000000000000ff");
  EXPECT_EQ(bytes_from_hex("00ff")->size(), 2u);
  EXPECT_FALSE(bytes_from_hex("0"));
  EXPECT_FALSE(bytes_from_hex("0G"));
  EXPECT_FALSE(number_from_hex("ff"));
}

}  // namespace
}  // namespace samestep
