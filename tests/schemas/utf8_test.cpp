#include "schemas/utf8.h"

#include <gtest/gtest.h>

namespace samestep {
namespace {

TEST(Utf8Test, RefusesWhatIsNotWellFormed) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("\xF0\x9F\x98\x80"));
  for (const char* bad : {"\x80", "\xC0\x80", "\xE0\x80\x80", "\xED\xBF\xBF", "\xF5\x80\x80\x80",
                          "\xE2\x82", "\xF4\x90\x80\x80"}) {
    EXPECT_FALSE(is_utf8(bad)) << bad;
  }
}

}  // namespace
}  // namespace samestep
