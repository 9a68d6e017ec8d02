#include "schemas/digest.h"

#include <gtest/gtest.h>

#include "schemas/error.h"

namespace samestep {
namespace {

TEST(DigestTest, HexGoesBothWays) {
  const Digest digest{0x0123456789abcdefu, 0xfedcba9876543210u};
  EXPECT_EQ(digest.hex(), "0123456789abcdeffedcba9876543210");
  EXPECT_EQ(Digest::from_hex(digest.hex()), digest);
  for (const char* bad :
       {"", "0123456789ABCDEFfedcba9876543210", "0123456789abcdeffedcba987654321",
        "0123456789abcdeffedcba98765432100", "g123456789abcdeffedcba9876543210"}) {
    EXPECT_THROW(Digest::from_hex(bad), Error) << bad;
  }
}

}  // namespace
}  // namespace samestep
