// Planes: each byte goes where the formula says, and comes back.
#include "checkpoint/byte_planes.h"

#include <gtest/gtest.h>

#include <vector>

#include "byte_helpers.h"

namespace samestep {
namespace {

class BytePlanesTest : public testing::TestWithParam<std::size_t> {};

TEST_P(BytePlanesTest, EachByteGoesToItsPlaneAndBack) {
  const std::size_t width = GetParam();
  for (std::size_t count = 0; count < 70; ++count) {
    const auto elements = ramp(count * width);
    std::vector<std::byte> planes(elements.size()), back(elements.size());
    split_planes(elements, width, planes);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < width; ++k)
        ASSERT_EQ(planes[k * count + i], elements[i * width + k]) << count << " " << i << " " << k;
    }
    std::vector<const std::byte*> pointers;
    for (std::size_t k = 0; k < width; ++k) pointers.push_back(planes.data() + k * count);
    merge_planes(pointers, back);
    EXPECT_EQ(back, elements) << count;
  }
}

TEST(BytePlanes, OnlyTheseSizesAreSplit) {
  for (std::size_t width = 0; width < 20; ++width)
    EXPECT_EQ(has_planes(width), width == 2 || width == 4 || width == 8) << width;
}

INSTANTIATE_TEST_SUITE_P(Widths, BytePlanesTest, testing::Values(2, 4, 8));

}  // namespace
}  // namespace samestep
