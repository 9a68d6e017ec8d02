// What a sample of a tensor's memory sees, and what it does not.
#include "capture/memory_sample.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/checkpoint/byte_helpers.h"

namespace samestep {
namespace {

std::vector<float> counted(std::size_t size) {
  std::vector<float> data(size);
  std::iota(data.begin(), data.end(), 1.0F);
  return data;
}

TEST(MemorySample, AChangeOfAllElementsIsSeen) {
  auto data = counted(1000);
  const TensorView view = view_of(data, Dtype::float32, {10, 100}, {100, 1});
  const Digest before = sample_of(view);
  EXPECT_EQ(sample_of(view), before);
  for (float& number : data) number *= 0.5F;
  EXPECT_NE(sample_of(view), before);
}

TEST(MemorySample, EachElementOfAShortTensorIsSeen) {
  for (std::size_t size = 1; size <= 16; ++size) {
    auto data = counted(size);
    const TensorView view = view_of(data, Dtype::float32, {static_cast<std::int64_t>(size)}, {1});
    const Digest before = sample_of(view);
    for (float& number : data) {
      number = -number;
      EXPECT_NE(sample_of(view), before) << size;
      number = -number;
    }
  }
}

TEST(MemorySample, FirstAndLastElementOfALongTensorAreSeen) {
  auto data = counted(100'000);
  const TensorView view = view_of(data, Dtype::float32, {100'000}, {1});
  const Digest before = sample_of(view);
  for (const std::size_t at : {std::size_t{0}, data.size() - 1}) {
    data[at] += 1;
    EXPECT_NE(sample_of(view), before) << at;
    data[at] -= 1;
  }
  data[1] += 1;
  EXPECT_EQ(sample_of(view), before) << "a sample is no digest";
}

TEST(MemorySample, OnlyTheElementsOfAViewAreLookedAt) {
  auto data = counted(40);
  const TensorView column = view_of(data, Dtype::float32, {10}, {4});
  const TensorView turned = view_of(data, Dtype::float32, {10}, {-4}, 36);
  const Digest before = sample_of(column), before_turned = sample_of(turned);
  data[1] = data[39] = -1;
  EXPECT_EQ(sample_of(column), before);
  EXPECT_EQ(sample_of(turned), before_turned);
  data[20] = -1;
  EXPECT_NE(sample_of(column), before);
  EXPECT_NE(sample_of(turned), before_turned);
}

TEST(MemorySample, AnEmptyTensorHasNothingToSee) {
  const std::vector<float> none(1);
  EXPECT_EQ(sample_of(view_of(none, Dtype::float32, {0, 3}, {3, 1})),
            sample_of(view_of(none, Dtype::float32, {2, 0}, {0, 1})));
}

}  // namespace
}  // namespace samestep
