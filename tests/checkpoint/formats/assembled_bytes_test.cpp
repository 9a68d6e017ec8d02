#include "checkpoint/formats/assembled_bytes.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "checkpoint/formats/tensor_leaf.h"
#include "schemas/error.h"

namespace samestep {
namespace {

using Shape = std::vector<std::int64_t>;

std::vector<std::uint16_t> streamed(const FieldBytes& bytes) {
  std::vector<std::byte> all;
  bytes.stream(
      [&](std::span<const std::byte> piece) { all.insert(all.end(), piece.begin(), piece.end()); });
  std::vector<std::uint16_t> numbers(all.size() / 2);
  if (!all.empty()) std::memcpy(numbers.data(), all.data(), all.size());
  return numbers;
}

/// A block of the tensor whose elements are 0, 1, 2, ... in row-major order.
Block block_of(const Shape& shape, Shape offsets, Shape sizes) {
  const Shape strides = row_major_strides(shape);
  auto numbers = std::make_shared<std::vector<std::uint16_t>>();
  Shape at(shape.size(), 0);
  const std::uint64_t count = *element_count(sizes);
  for (std::uint64_t n = 0; n < count; ++n) {
    std::int64_t index = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) index += (offsets[d] + at[d]) * strides[d];
    numbers->push_back(static_cast<std::uint16_t>(index));
    for (std::size_t d = shape.size(); d-- > 0;)
      if (++at[d] < sizes[d])
        break;
      else
        at[d] = 0;
  }
  TensorView view;
  view.base = reinterpret_cast<const std::byte*>(numbers->data());
  view.dtype = Dtype::uint16;
  view.shape = sizes;
  view.strides = row_major_strides(sizes);
  return {std::move(offsets), std::move(sizes), tensor_bytes(view, numbers)};
}

/// Cuts the box at random until it has about `parts` parts.
std::vector<std::pair<Shape, Shape>> random_cut(const Shape& shape, int parts,
                                                std::mt19937& generator) {
  std::vector<std::pair<Shape, Shape>> boxes = {{Shape(shape.size(), 0), shape}};
  for (int i = 1; i < parts; ++i) {
    auto& [offsets, sizes] = boxes[generator() % boxes.size()];
    const std::size_t d = generator() % shape.size();
    if (sizes[d] < 2) continue;
    const auto cut =
        static_cast<std::int64_t>(1 + generator() % static_cast<std::uint64_t>(sizes[d] - 1));
    auto rest = std::pair{offsets, sizes};
    rest.first[d] += cut;
    rest.second[d] -= cut;
    sizes[d] = cut;
    boxes.push_back(std::move(rest));
  }
  std::shuffle(boxes.begin(), boxes.end(), generator);
  return boxes;
}

TEST(AssembledBytes, StreamsAnyCutInRowMajorOrder) {
  std::mt19937 generator(11);
  for (const Shape& shape :
       {Shape{17}, Shape{6, 5}, Shape{4, 5, 6}, Shape{2, 3, 2, 5}, Shape{1, 1, 7}})
    for (int trial = 0; trial < 60; ++trial) {
      std::vector<Block> blocks;
      for (auto& [offsets, sizes] : random_cut(shape, 1 + trial % 12, generator))
        blocks.push_back(block_of(shape, offsets, sizes));
      ASSERT_EQ(cover_of(blocks, shape), Cover::whole);
      const FieldBytesPtr bytes = assembled_bytes(std::move(blocks), shape, 2);
      std::vector<std::uint16_t> expected(*element_count(shape));
      std::iota(expected.begin(), expected.end(), std::uint16_t{0});
      ASSERT_EQ(bytes->size(), expected.size() * 2);
      ASSERT_EQ(streamed(*bytes), expected) << "seed 11, trial " << trial;
    }
}

TEST(AssembledBytes, OneBlockIsItsOwnSpan) {
  const Block block = block_of({2, 2}, {0, 0}, {2, 2});
  const auto span = block.bytes->contiguous();
  EXPECT_EQ(assembled_bytes({block}, {2, 2}, 2)->contiguous().data(), span.data());
}

TEST(AssembledBytes, HoldsScalarsAndEmptyTensors) {
  EXPECT_EQ(streamed(*assembled_bytes({block_of({}, {}, {})}, {}, 2)),
            std::vector<std::uint16_t>{0});
  const Shape empty = {3, 0};
  EXPECT_EQ(cover_of({}, empty), Cover::whole);
  EXPECT_TRUE(streamed(*assembled_bytes({}, empty, 2)).empty());
}

TEST(AssembledBytes, SeesHolesAndOverlaps) {
  const Shape shape = {4, 4};
  const Block top = block_of(shape, {0, 0}, {2, 4}), bottom = block_of(shape, {2, 0}, {2, 4});
  const Block middle = block_of(shape, {1, 1}, {2, 2}), corner = block_of(shape, {3, 3}, {1, 1});
  EXPECT_EQ(cover_of({top, bottom}, shape), Cover::whole);
  EXPECT_EQ(cover_of({bottom, top}, shape), Cover::whole);
  EXPECT_EQ(cover_of({top}, shape), Cover::hole);
  EXPECT_EQ(cover_of({top, corner}, shape), Cover::hole);
  EXPECT_EQ(cover_of({top, middle}, shape), Cover::overlap);
  EXPECT_EQ(cover_of({top, bottom, corner}, shape), Cover::overlap);
  EXPECT_EQ(cover_of({top, top}, shape), Cover::overlap);
  EXPECT_EQ(cover_of({}, {}), Cover::hole);
}

TEST(AssembledBytes, MissingBytesSayWhere) {
  const FieldBytesPtr bytes = missing_bytes(8, "shard 3", "a part is not there");
  EXPECT_EQ(bytes->size(), 8u);
  EXPECT_THAT([&] { streamed(*bytes); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("shard 3")));
}

}  // namespace
}  // namespace samestep
