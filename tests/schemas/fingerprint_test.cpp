#include "schemas/fingerprint.h"

#include <gtest/gtest.h>

#include "schemas/error.h"

namespace samestep {
namespace {

TEST(FingerprintTest, AddsAndTakesAwayWithCarries) {
  const Fingerprint a{1, ~0ULL}, b{~0ULL, 2};
  EXPECT_EQ(a + b, (Fingerprint{1, 1}));
  EXPECT_EQ(b + a, a + b);
  EXPECT_EQ(a + b - b, a);
  EXPECT_EQ(a + b - a, b);
  EXPECT_EQ(Fingerprint{} - (Fingerprint{0, 1}), (Fingerprint{~0ULL, ~0ULL}));
}

TEST(FingerprintTest, HexGoesBothWays) {
  const Fingerprint sum{0x0123456789abcdefu, 0xfedcba9876543210u};
  EXPECT_EQ(sum.hex(), "0123456789abcdeffedcba9876543210");
  EXPECT_EQ(Fingerprint::from_hex(sum.hex()), sum);
  for (const char* bad : {"", "0123456789ABCDEFfedcba9876543210", "0123456789abcdef",
                          "g123456789abcdeffedcba9876543210"}) {
    EXPECT_THROW(Fingerprint::from_hex(bad), Error) << bad;
  }
}

}  // namespace
}  // namespace samestep
