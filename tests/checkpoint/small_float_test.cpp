#include "checkpoint/small_float.h"

#include <gtest/gtest.h>

#include <cmath>

namespace samestep {
namespace {

TEST(SmallFloat, HalfPrecision) {
  EXPECT_EQ(half_value(0x3C00), 1.0);
  EXPECT_EQ(half_value(0xC500), -5.0);
  EXPECT_EQ(half_value(0x0001), std::ldexp(1.0, -24));
  EXPECT_EQ(half_value(0x7BFF), 65504.0);
  EXPECT_EQ(half_value(0xFC00), -INFINITY);
  EXPECT_TRUE(std::isnan(half_value(0x7E00)));
}

struct Case {
  Dtype dtype;
  std::uint8_t one, largest, smallest;
  double largest_value, smallest_value;
};

// Largest finite and smallest positive numbers as the formats' definitions give them.
const Case kCases[] = {
    {Dtype::float8_e4m3fn, 0x38, 0x7E, 0x01, 448.0, std::ldexp(1.0, -9)},
    {Dtype::float8_e5m2, 0x3C, 0x7B, 0x01, 57344.0, std::ldexp(1.0, -16)},
    {Dtype::float8_e4m3fnuz, 0x40, 0x7F, 0x01, 240.0, std::ldexp(1.0, -10)},
    {Dtype::float8_e5m2fnuz, 0x40, 0x7F, 0x01, 57344.0, std::ldexp(1.0, -17)},
    {Dtype::float8_e8m0fnu, 0x7F, 0xFE, 0x00, std::ldexp(1.0, 127), std::ldexp(1.0, -127)},
};

TEST(SmallFloat, EachEightBitFormat) {
  for (const Case& each : kCases) {
    SCOPED_TRACE(to_string(each.dtype));
    EXPECT_EQ(float8_value(each.dtype, each.one), 1.0);
    EXPECT_EQ(float8_value(each.dtype, each.largest), each.largest_value);
    EXPECT_EQ(float8_value(each.dtype, each.smallest), each.smallest_value);
  }
}

TEST(SmallFloat, SignsAndWhatIsNoNumber) {
  EXPECT_EQ(float8_value(Dtype::float8_e4m3fn, 0xB8), -1.0);
  EXPECT_TRUE(std::isnan(*float8_value(Dtype::float8_e4m3fn, 0xFF)));
  EXPECT_EQ(float8_value(Dtype::float8_e5m2, 0xFC), -INFINITY);
  EXPECT_TRUE(std::isnan(*float8_value(Dtype::float8_e5m2, 0x7D)));
  EXPECT_TRUE(std::isnan(*float8_value(Dtype::float8_e4m3fnuz, 0x80)));
  EXPECT_TRUE(std::isnan(*float8_value(Dtype::float8_e5m2fnuz, 0x80)));
  EXPECT_TRUE(std::isnan(*float8_value(Dtype::float8_e8m0fnu, 0xFF)));
  EXPECT_TRUE(std::signbit(*float8_value(Dtype::float8_e4m3fn, 0x80)));
  EXPECT_EQ(float8_value(Dtype::int8, 1), std::nullopt);
}

}  // namespace
}  // namespace samestep
