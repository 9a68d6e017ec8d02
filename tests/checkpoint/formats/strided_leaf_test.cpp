#include "checkpoint/formats/strided_leaf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/checkpoint/error_text.h"
#include "tests/checkpoint/foreign.h"
#include "tests/checkpoint/leaf_text.h"

namespace samestep {
namespace {

using foreign::error_text;
using foreign::numbers_of;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::int64_t kHuge = std::int64_t{1} << 62;

Storage six_floats() {
  const float numbers[] = {0, 1, 2, 3, 4, 5};
  return Storage{
      foreign::slice_of(std::string(reinterpret_cast<const char*>(numbers), sizeof numbers)), 7,
      false};
}

StridedView view_of(std::int64_t offset, std::vector<std::int64_t> shape,
                    std::vector<std::int64_t> strides) {
  StridedView view;
  view.dtype = Dtype::float32;
  view.offset = offset;
  view.shape = std::move(shape);
  view.strides = std::move(strides);
  return view;
}

TEST(StridedLeaf, ReadsRowsColumnsAndExpansions) {
  EXPECT_THAT(numbers_of<float>(strided_leaf(six_floats(), view_of(0, {2, 3}, {3, 1}), "w")),
              ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(numbers_of<float>(strided_leaf(six_floats(), view_of(1, {2}, {3}), "w")),
              ElementsAre(1, 4));
  EXPECT_THAT(numbers_of<float>(strided_leaf(six_floats(), view_of(0, {3, 2}, {1, 3}), "w")),
              ElementsAre(0, 3, 1, 4, 2, 5));
  EXPECT_THAT(numbers_of<float>(strided_leaf(six_floats(), view_of(5, {2, 2}, {0, 0}), "w")),
              ElementsAre(5, 5, 5, 5));
  EXPECT_THAT(numbers_of<float>(strided_leaf(six_floats(), view_of(5, {}, {}), "w")),
              ElementsAre(5));
}

TEST(StridedLeaf, RecordsTheLayout) {
  const Leaf leaf = strided_leaf(six_floats(), view_of(1, {2}, {3}), "w");
  EXPECT_EQ(leaf.layout.storage, 7);
  EXPECT_EQ(leaf.layout.storage_offset, 1);
  EXPECT_THAT(leaf.layout.strides, ElementsAre(3));
  EXPECT_TRUE(strided_leaf(six_floats(), view_of(0, {6}, {1}), "w").layout.strides.empty());
}

TEST(StridedLeaf, EmptyTensorsNeedNoStorage) {
  const Storage none{foreign::slice_of(""), 0, false};
  EXPECT_EQ(strided_leaf(none, view_of(0, {0, 3}, {3, 1}), "w").bytes->size(), 0u);
  EXPECT_EQ(strided_leaf(none, view_of(100, {0}, {1}), "w").bytes->size(), 0u);
}

TEST(StridedLeaf, ExpandedTensorsMayBeHugeAndAreNotMaterialised) {
  EXPECT_EQ(strided_leaf(six_floats(), view_of(0, {1 << 20, 1 << 20}, {0, 0}), "w").bytes->size(),
            std::uint64_t{1} << 42);
}

struct Bad {
  const char* name;
  StridedView view;
  const char* message;
};

const Bad kBad[] = {
    {"past_the_end", view_of(0, {7}, {1}), "reaches past its storage (element 6"},
    {"offset_past_the_end", view_of(6, {1}, {1}), "reaches past its storage"},
    {"stride_past_the_end", view_of(0, {2, 3}, {4, 1}), "reaches past its storage"},
    {"offset_negative", view_of(-1, {1}, {1}), "offset is negative"},
    {"offset_huge", view_of(INT64_MAX, {2}, {1}), "overflow"},
    {"offset_wraps", view_of(kHuge, {1}, {1}), "overflow"},
    {"shape_negative", view_of(0, {-1}, {1}), "negative or overflows"},
    {"shape_overflows", view_of(0, {kHuge, 4}, {0, 0}), "negative or overflows"},
    {"bytes_overflow", view_of(0, {kHuge}, {0}), "size overflows"},
    {"stride_negative", view_of(5, {2}, {-1}), "negative stride"},
    {"stride_overflows", view_of(0, {3, 2}, {kHuge, 1}), "overflow"},
    {"ranks_differ", view_of(0, {2, 3}, {1}), "different ranks"},
    {"rank", view_of(0, std::vector<std::int64_t>(65, 1), std::vector<std::int64_t>(65, 1)),
     "65 dimensions"},
};

class BadView : public testing::TestWithParam<Bad> {};

TEST_P(BadView, IsRefused) {
  const std::string text =
      error_text([] { strided_leaf(six_floats(), GetParam().view, "a.pt: w"); });
  EXPECT_THAT(text, HasSubstr(GetParam().message));
  EXPECT_THAT(text, HasSubstr("a.pt: w"));
}

INSTANTIATE_TEST_SUITE_P(Cases, BadView, testing::ValuesIn(kBad),
                         [](const auto& test) { return test.param.name; });

TEST(StridedLeaf, HalvesOfBytesAreCountedAsSuch) {
  StridedView view = view_of(0, {48}, {1});
  view.dtype = Dtype::quint4x2;
  EXPECT_EQ(strided_leaf(six_floats(), view, "w").bytes->size(), 24u);
  view.shape = {49};
  EXPECT_THAT(error_text([&] { strided_leaf(six_floats(), view, "w"); }),
              HasSubstr("reaches past"));
}

}  // namespace
}  // namespace samestep
