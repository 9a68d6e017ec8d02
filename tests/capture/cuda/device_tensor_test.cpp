#include "capture/cuda/device_tensor.h"

#include <gtest/gtest.h>

#include "schemas/error.h"

namespace samestep {
namespace {

using Sizes = std::vector<std::int64_t>;

DeviceTensor of(Dtype dtype, Sizes shape, Sizes strides = {}, std::uint64_t first = 0) {
  static const int memory = 0;
  return device_tensor({&memory, dtype, std::move(shape), std::move(strides), first});
}

TEST(DeviceTensor, WhatLiesInOnePieceHasNoDimensions) {
  for (const DeviceTensor& tensor :
       {of(Dtype::float32, {2, 3, 4}), of(Dtype::float32, {2, 3, 4}, {12, 4, 1}),
        of(Dtype::float32, {2, 1, 12}, {12, 99, 1})}) {
    EXPECT_EQ(tensor.bytes, 96U);
    EXPECT_EQ(tensor.item, 4U);
    EXPECT_EQ(tensor.dimensions, 0U);
  }
  EXPECT_EQ(of(Dtype::float64, {}).bytes, 8U);
  EXPECT_EQ(of(Dtype::float64, {0, 3}, {7, 9}).bytes, 0U);
}

TEST(DeviceTensor, DimensionsBehindOneAnotherAreOne) {
  const DeviceTensor tensor = of(Dtype::bfloat16, {5, 2, 3}, {7, 3, 1});
  EXPECT_EQ(tensor.dimensions, 2U);
  EXPECT_EQ(tensor.size[0], 5);
  EXPECT_EQ(tensor.stride[0], 14);
  EXPECT_EQ(tensor.size[1], 6);
  EXPECT_EQ(tensor.stride[1], 2);
}

TEST(DeviceTensor, TheFirstElementIsCountedInWords) {
  EXPECT_EQ(of(Dtype::float32, {4}, {}, 10).first_word, 10U);
  EXPECT_EQ(of(Dtype::complex128, {4}, {}, 10).first_word, 20U);
}

TEST(DeviceTensor, SeveralElementsAByteAreBytes) {
  EXPECT_EQ(of(Dtype::quint4x2, {3, 5}).bytes, 9U);
  EXPECT_EQ(of(Dtype::quint2x4, {3, 5}).bytes, 6U);
  EXPECT_THROW(of(Dtype::quint4x2, {3, 5}, {5, 1}), Error);
}

TEST(DeviceTensor, WhatCannotBeReadIsRefused) {
  EXPECT_THROW(of(Dtype::float32, {2, -1}), Error);
  EXPECT_THROW(of(Dtype::none, {2}), Error);
  Sizes shape(9, 2), strides(9, 0);
  for (std::size_t i = 0; i < 9; ++i) strides[i] = static_cast<std::int64_t>(1000 + 7 * i * i);
  EXPECT_THROW(of(Dtype::float32, shape, strides), Error);
}

}  // namespace
}  // namespace samestep
