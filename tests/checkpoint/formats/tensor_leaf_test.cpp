#include "checkpoint/formats/tensor_leaf.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "../foreign.h"

namespace samestep {
namespace {

using Shape = std::vector<std::int64_t>;

TEST(TensorLeaf, CountsElements) {
  EXPECT_EQ(element_count(Shape{}), 1u);
  EXPECT_EQ(element_count(Shape{2, 3, 4}), 24u);
  EXPECT_EQ(element_count(Shape{2, 0, 4}), 0u);
  EXPECT_EQ(element_count(Shape{-1}), std::nullopt);
  EXPECT_EQ(element_count(Shape{1ll << 32, 1ll << 31}), std::nullopt);
  EXPECT_EQ(element_count(Shape{1ll << 32, 0, 1ll << 31}), std::nullopt);
  EXPECT_EQ(tensor_byte_count(Dtype::float32, Shape{3}), 12u);
  EXPECT_EQ(tensor_byte_count(Dtype::float32, Shape{1ll << 61}), std::nullopt);
  EXPECT_EQ(tensor_byte_count(Dtype::none, Shape{3}), std::nullopt);
}

TEST(TensorLeaf, StridesAreRowMajor) {
  EXPECT_THAT(row_major_strides(Shape{2, 3, 4}), testing::ElementsAre(12, 4, 1));
  EXPECT_THAT(row_major_strides(Shape{}), testing::ElementsAre());
}

TEST(TensorLeaf, StreamsTheFileBytes) {
  const FileSlice slice = foreign::slice_of("abcdef");
  const Leaf leaf = tensor_leaf(slice, Dtype::uint8, {2, 3});
  EXPECT_EQ(leaf.bytes->size(), 6u);
  EXPECT_EQ(leaf.bytes->contiguous().data(), slice.bytes.data());
}

}  // namespace
}  // namespace samestep
