#include "resume_check/locate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "tests/resume_check/fixture.h"

namespace samestep {
namespace {

using testing::elements;
using testing::State;

std::optional<Difference> between(const testing::Elements& a, const testing::Elements& b) {
  const auto source = State().tensor("f", a, ""), target = State().tensor("f", b, "");
  return locate(source.tree().entries().front(), target.tree().entries().front());
}

TEST(Locate, OneBitIsOneElementAtOneUlp) {
  auto a = testing::ramp(12, 1);
  a.shape = {3, 4};
  auto b = a;
  b.bytes[6 * 4] ^= std::byte{1};
  const auto found = between(a, b);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->first_byte, 24u);
  EXPECT_EQ(found->last_byte, 24u);
  EXPECT_EQ(found->elements, 1u);
  EXPECT_EQ(found->elements_total, 12u);
  EXPECT_EQ(found->first_index, 6u);
  EXPECT_EQ(found->first_position, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(found->ulp_max, 1u);
  EXPECT_NE(found->source_value, found->target_value);
}

TEST(Locate, NothingForEqualOrUnlikeSides) {
  EXPECT_FALSE(between(testing::ramp(4, 1), testing::ramp(4, 1)));
  EXPECT_FALSE(between(testing::ramp(4, 1), testing::ramp(5, 1)));
}

TEST(Locate, UlpsCountAcrossZero) {
  const auto distance = [](float a, float b) {
    std::byte left[4], right[4];
    std::memcpy(left, &a, 4);
    std::memcpy(right, &b, 4);
    return ulp_distance(Dtype::float32, left, right);
  };
  EXPECT_EQ(distance(0.0f, -0.0f), 0u);
  EXPECT_EQ(distance(std::nextafterf(0, 1), -std::nextafterf(0, 1)), 2u);
  EXPECT_EQ(distance(1.0f, std::nextafterf(1, 2)), 1u);
  EXPECT_FALSE(distance(NAN, 1.0f));
}

TEST(Locate, ElementsAreWrittenExactly) {
  const std::int64_t seven = -7;
  std::byte place[8];
  std::memcpy(place, &seven, 8);
  EXPECT_EQ(element_text(Dtype::int64, place), "-7");
  EXPECT_EQ(element_text(Dtype::complex64, place), "0xfffffffffffffff9");
}

}  // namespace
}  // namespace samestep
