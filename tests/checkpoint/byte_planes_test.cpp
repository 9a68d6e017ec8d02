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
    split_planes(elements, width, false, planes);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t k = 0; k < width; ++k)
        ASSERT_EQ(planes[k * count + i], elements[i * width + k]) << count << " " << i << " " << k;
    }
    std::vector<const std::byte*> pointers;
    for (std::size_t k = 0; k < width; ++k) pointers.push_back(planes.data() + k * count);
    merge_planes(pointers, false, back);
    EXPECT_EQ(back, elements) << count;
  }
}

/// The number in `bytes`, rotated by a bit to the left.
std::uint64_t turned(std::span<const std::byte> bytes) {
  std::uint64_t number = 0;
  for (std::size_t k = bytes.size(); k-- > 0;)
    number = number << 8 | std::to_integer<std::uint64_t>(bytes[k]);
  const std::size_t bits = 8 * bytes.size();
  const std::uint64_t up = number << 1 | number >> (bits - 1);
  return bits == 64 ? up : up & ((std::uint64_t{1} << bits) - 1);
}

TEST_P(BytePlanesTest, TurnedNumbersAreRotatedByABitAndBack) {
  const std::size_t width = GetParam();
  for (std::size_t count = 0; count < 70; ++count) {
    auto elements = ramp(count * width);
    for (std::size_t i = 0; i < elements.size(); i += 3) elements[i] ^= std::byte{0xC0};
    std::vector<std::byte> planes(elements.size()), back(elements.size());
    split_planes(elements, width, true, planes);
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint64_t number = turned(std::span(elements).subspan(i * width, width));
      for (std::size_t k = 0; k < width; ++k)
        ASSERT_EQ(std::to_integer<std::uint64_t>(planes[k * count + i]), number >> 8 * k & 0xFF)
            << count << " " << i << " " << k;
    }
    std::vector<const std::byte*> pointers;
    for (std::size_t k = 0; k < width; ++k) pointers.push_back(planes.data() + k * count);
    merge_planes(pointers, true, back);
    EXPECT_EQ(back, elements) << count;
  }
}

TEST(BytePlanes, EvenBytesTakeSevenBitsEach) {
  for (std::size_t count = 0; count < 70; ++count) {
    auto bytes = ramp(count);
    for (std::byte& byte : bytes) byte &= std::byte{0xFE};
    EXPECT_TRUE(are_even(bytes));
    std::vector<std::byte> packed(packed_bytes(count)), back(count);
    EXPECT_EQ(packed.size(), (count * 7 + 55) / 56 * 7);
    pack_even(bytes, packed);
    for (std::size_t i = 0; i < 7 * count; ++i) {
      const auto bit = [](std::byte byte, std::size_t n) {
        return std::to_integer<int>(byte) >> n & 1;
      };
      ASSERT_EQ(bit(packed[i / 8], i % 8), bit(bytes[i / 7], i % 7 + 1)) << count << " " << i;
    }
    unpack_even(packed, back);
    EXPECT_EQ(back, bytes) << count;
    if (count == 0) continue;
    bytes[count / 2] |= std::byte{1};
    EXPECT_FALSE(are_even(bytes));
  }
}

TEST(BytePlanes, OnlyTheseSizesAreSplit) {
  for (std::size_t width = 0; width < 20; ++width)
    EXPECT_EQ(has_planes(width), width == 2 || width == 4 || width == 8) << width;
}

INSTANTIATE_TEST_SUITE_P(Widths, BytePlanesTest, testing::Values(2, 4, 8));

}  // namespace
}  // namespace samestep
