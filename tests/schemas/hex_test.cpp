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

TEST(HexTest, OneForeignDigitAnywhereMakesANumberNothing) {
  const std::string right = "0123456789abcdef";
  EXPECT_EQ(number_from_hex(right), 0x0123456789abcdefu);
  for (std::size_t at = 0; at < right.size(); ++at) {
    for (int c = 0; c < 256; ++c) {
      std::string text = right;
      text[at] = static_cast<char>(c);
      const bool is_digit = right.find(static_cast<char>(c)) != std::string::npos;
      EXPECT_EQ(number_from_hex(text).has_value(), is_digit) << text;
      if (is_digit) {
        EXPECT_EQ(hex_of(*number_from_hex(text)), text);
      }
    }
  }
}

}  // namespace
}  // namespace samestep
