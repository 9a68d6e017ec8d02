#include "schemas/count_text.h"

#include <gtest/gtest.h>

namespace samestep {
namespace {

TEST(CountTextTest, OnlyOneIsSingular) {
  EXPECT_EQ(count_text(0, "field"), "0 fields");
  EXPECT_EQ(count_text(1, "field"), "1 field");
  EXPECT_EQ(count_text(2, "field"), "2 fields");
}

TEST(CountTextTest, APluralOfItsOwnIsSaid) {
  EXPECT_EQ(count_text(1, "boundary", "boundaries"), "1 boundary");
  EXPECT_EQ(count_text(12, "boundary", "boundaries"), "12 boundaries");
}

TEST(SomeOfTest, SaysHowManyAreNotShown) {
  EXPECT_EQ(some_of({}, 2), "");
  EXPECT_EQ(some_of({"a"}, 2), "a");
  EXPECT_EQ(some_of({"a", "b"}, 2), "a, b");
  EXPECT_EQ(some_of({"a", "b", "c"}, 2), "a, b and 1 more");
}

}  // namespace
}  // namespace samestep
