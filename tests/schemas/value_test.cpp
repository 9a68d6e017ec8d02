#include "schemas/value.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "schemas/check.h"

namespace samestep {
namespace {

BigInt big(std::initializer_list<unsigned> bytes) {
  BigInt number;
  for (const unsigned byte : bytes) number.bytes.push_back(static_cast<std::byte>(byte));
  return number;
}

struct DisplayCase {
  Value value;
  const char *kind, *text;
};

TEST(ValueTest, DisplayIsShortAndTellsKindsApart) {
  const DisplayCase cases[] = {
      {None{}, "none", "None"},
      {true, "bool", "true"},
      {std::int64_t{-7}, "int", "-7"},
      {7.0, "float", "7.0"},
      {0.001, "float", "0.001"},
      {1e300, "float", "1e+300"},
      {-0.0, "float", "-0.0"},
      {std::numeric_limits<double>::infinity(), "float", "inf"},
      {std::nan(""), "float", "nan"},
      {std::string("gpt2"), "str", "\"gpt2\""},
      {std::string("\n"), "str", "\"\\x0A\""},
      {Bytes(5056), "bytes", "5056 bytes"},
      {Bytes(1), "bytes", "1 byte"},
      {Numbers{std::vector<std::int64_t>(625)}, "numbers", "625 numbers"},
      {Numbers{std::vector<double>{0.9, 1}}, "numbers", "[0.9, 1.0]"},
      {big({0, 0, 0, 0, 0, 0, 0, 0, 1}), "int", "18446744073709551616"},
  };
  for (const DisplayCase& c : cases) {
    EXPECT_EQ(display(c.value), c.text);
    EXPECT_STREQ(kind_of(c.value), c.kind) << c.text;
  }
  EXPECT_LT(display(Value(std::string(1000, 'x'))).size(), 80u);
  EXPECT_LT(display(Value(BigInt{Bytes(1000, std::byte{1})})).size(), 80u);
}

TEST(ValueTest, DecimalIsExact) {
  EXPECT_EQ(decimal(std::numeric_limits<std::int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(decimal(big({0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0})),
            "18446744073709551615");
  EXPECT_EQ(decimal(big({0, 0, 0, 0, 0, 0, 0, 0, 0xFF})), "-18446744073709551616");
  EXPECT_EQ(decimal(big({0, 0, 0, 0, 0, 0, 0, 0x80})), "-9223372036854775808");
  EXPECT_EQ(decimal(big({})), "0");
  EXPECT_EQ(decimal(big({0xFF})), "-1");
  EXPECT_THROW(decimal(Value(1.0)), CheckFailure);
}

TEST(ValueTest, HugeIntegersStayCheap) {
  const std::string text = decimal(BigInt{Bytes(1u << 20, std::byte{0x11})});
  EXPECT_EQ(text.substr(0, 6), "0x1111");
  EXPECT_EQ(text.size(), 2u + (2u << 20));
}

}  // namespace
}  // namespace samestep
