#include "resume_check/shards.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/resume_check/fixture.h"

namespace samestep {
namespace {

using testing::Elements;
using testing::elements;
using testing::State;
using Shape = std::vector<std::int64_t>;

std::int64_t volume(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

/// 0, 1, 2, ... as float64.
Elements whole_of(const Shape& shape) {
  std::vector<double> numbers(static_cast<std::size_t>(volume(shape)));
  std::iota(numbers.begin(), numbers.end(), 0.0);
  return elements(numbers, Dtype::float64, shape);
}

/// The block of it at `offsets`.
Elements block_of(const Shape& whole, const Shape& offsets, const Shape& sizes) {
  std::vector<double> numbers;
  Shape index(sizes.size(), 0);
  for (std::int64_t i = 0; i < volume(sizes); ++i) {
    std::int64_t at = 0, rest = i;
    for (std::size_t d = sizes.size(); d-- > 0; rest /= sizes[d]) index[d] = rest % sizes[d];
    for (std::size_t d = 0; d < sizes.size(); ++d) at = at * whole[d] + offsets[d] + index[d];
    numbers.push_back(static_cast<double>(at));
  }
  return elements(numbers, Dtype::float64, sizes);
}

std::optional<std::uint64_t> place(const Elements& part, const Elements& whole) {
  const auto live = State().parameter("model/w", part), file = State().parameter("model/w", whole);
  const auto &one = testing::entry(live, "model/w"), &other = testing::entry(file, "model/w");
  if (!may_be_shard(one, other)) return std::nullopt;
  return place_in_whole(one, other);
}

/// Every block of a tensor that is cut along all its dimensions as ranks cut it.
void expect_all_found(const Shape& whole, const Shape& sizes) {
  const auto filed = whole_of(whole);
  Shape offsets(whole.size(), 0);
  const auto next = [&] {
    for (std::size_t d = whole.size(); d-- > 0; offsets[d] = 0)
      if ((offsets[d] += sizes[d]) < whole[d]) return true;
    return false;
  };
  do {
    Shape here = sizes;
    std::int64_t first = 0;
    for (std::size_t d = 0; d < whole.size(); ++d) {
      here[d] = std::min(sizes[d], whole[d] - offsets[d]);
      first = first * whole[d] + offsets[d];
    }
    if (here == whole) continue;
    EXPECT_EQ(place(block_of(whole, offsets, here), filed), 8u * static_cast<unsigned>(first))
        << ::testing::PrintToString(whole) << " at " << ::testing::PrintToString(offsets);
  } while (next());
}

TEST(Shards, BlocksAreFoundAlongAnyDimension) {
  expect_all_found({8, 6}, {4, 6});
  expect_all_found({8, 6}, {8, 2});
  expect_all_found({8, 6}, {2, 3});
  expect_all_found({4, 3, 6}, {4, 1, 6});
  expect_all_found({4, 3, 6}, {2, 3, 3});
  expect_all_found({3, 4, 2, 5}, {1, 2, 2, 5});
}

TEST(Shards, TheLastBlockMayBeShorter) {
  expect_all_found({10, 3}, {4, 3});
  expect_all_found({3, 7}, {3, 3});
  expect_all_found({7, 5}, {3, 2});
}

TEST(Shards, ARunMayBeginAtAnyElement) {
  const auto filed = whole_of({5, 7});
  for (std::int64_t begin = 0; begin + 9 <= 35; ++begin) {
    auto run = block_of({35}, {begin}, {9});
    EXPECT_EQ(place(run, filed), 8u * static_cast<unsigned>(begin));
    EXPECT_EQ(place(run, whole_of({35})), 8u * static_cast<unsigned>(begin));
  }
}

TEST(Shards, WhatIsNowhereInTheWholeIsNotFound) {
  const auto filed = whole_of({8, 6});
  auto block = block_of({8, 6}, {4, 0}, {4, 6});
  block.bytes[9] ^= std::byte{1};
  EXPECT_EQ(place(block, filed), std::nullopt);
  EXPECT_EQ(place(block_of({8, 6}, {1, 0}, {4, 6}), filed), std::nullopt) << "no rank has this";
  auto run = block_of({48}, {3}, {9});
  run.bytes[70] ^= std::byte{1};
  EXPECT_EQ(place(run, filed), std::nullopt);
}

TEST(Shards, AreOfTheSameDtypeAndNoLonger) {
  const auto filed = whole_of({8, 6});
  EXPECT_EQ(place(whole_of({8, 6}), filed), std::nullopt);
  EXPECT_EQ(place(whole_of({2, 12}), filed), std::nullopt);
  EXPECT_EQ(place(testing::ramp(6, 0), filed), std::nullopt);
  EXPECT_EQ(place(testing::scalar(0), filed), std::nullopt);
  EXPECT_EQ(place(elements<double>({}, Dtype::float64, {0}), filed), 0u);
}

TEST(Shards, TooManyBlocksAreNotLookedThrough) {
  EXPECT_EQ(place(whole_of({1, 1, 1}), whole_of({40, 40, 2})), std::nullopt);
}

}  // namespace
}  // namespace samestep
