#include "checkpoint/containers/crc32_polynomial.h"

#include <gtest/gtest.h>

namespace samestep {
namespace {

TEST(CrcProduct, IsThatOfAField) {
  constexpr std::uint32_t kX = kCrcOne >> 1;
  EXPECT_EQ(crc_product(kCrcOne, 0x12345678u), 0x12345678u);
  EXPECT_EQ(crc_product(0x12345678u, kX), crc_product(kX, 0x12345678u));
  // x^32 is what is left of the polynomial when its highest term is taken away.
  std::uint32_t power = kCrcOne;
  for (int i = 0; i < 32; ++i) power = crc_product(power, kX);
  EXPECT_EQ(power, kCrcPolynomial);
}

}  // namespace
}  // namespace samestep
