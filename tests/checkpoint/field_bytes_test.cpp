// Canonical bytes of tensors: any strides, row-major order, nothing else.
#include "checkpoint/field_bytes.h"

#include <gmock/gmock.h>

#include <numeric>
#include <random>

#include "byte_helpers.h"
#include "schemas/error.h"

namespace samestep {
namespace {

using testing::ElementsAre;

std::vector<float> counting(std::size_t size) {
  std::vector<float> values(size);
  std::iota(values.begin(), values.end(), 0.0F);
  return values;
}

TEST(TensorBytes, ContiguousElementsAreOneSpan) {
  const auto data = counting(6);
  const auto bytes = tensor_bytes(view_of(data, Dtype::float32, {2, 3}, {3, 1}), nullptr);
  EXPECT_EQ(bytes->size(), 24U);
  EXPECT_EQ(static_cast<const void*>(bytes->contiguous().data()), data.data());
  EXPECT_THAT(streamed_as<float>(*bytes), ElementsAre(0, 1, 2, 3, 4, 5));
}

struct StrideCase {
  const char* name;
  std::vector<std::int64_t> shape, strides;
  std::size_t first;
  std::vector<float> expected;
};

TEST(TensorBytes, AnyStridesStreamInRowMajorOrder) {
  const auto data = counting(24);
  const StrideCase cases[] = {
      {"transposed", {3, 2}, {1, 3}, 0, {0, 3, 1, 4, 2, 5}},
      {"expanded", {2, 3}, {0, 1}, 0, {0, 1, 2, 0, 1, 2}},
      {"expanded scalar", {2, 2}, {0, 0}, 5, {5, 5, 5, 5}},
      {"reversed", {4}, {-1}, 3, {3, 2, 1, 0}},
      {"every other", {3}, {2}, 1, {1, 3, 5}},
      {"inner slice", {2, 2}, {6, 1}, 2, {2, 3, 8, 9}},
      {"size one with odd strides", {1, 3, 1}, {99, 1, -7}, 0, {0, 1, 2}},
      {"channels last", {1, 2, 2, 2}, {8, 1, 4, 2}, 0, {0, 2, 4, 6, 1, 3, 5, 7}},
      {"0-d", {}, {}, 7, {7}},
      {"empty", {2, 0, 3}, {0, 3, 1}, 0, {}},
  };
  for (const StrideCase& c : cases) {
    const auto bytes =
        tensor_bytes(view_of(data, Dtype::float32, c.shape, c.strides, c.first), nullptr);
    EXPECT_EQ(bytes->size(), c.expected.size() * 4) << c.name;
    EXPECT_EQ(streamed_as<float>(*bytes), c.expected) << c.name;
  }
}

TEST(TensorBytes, LargeStridedTensorsAgreeWithElementByElement) {
  std::mt19937 random(20240611);
  const auto data = counting(1 << 20);
  for (int round = 0; round < 40; ++round) {
    // A permuted and cut block of a contiguous 4-d tensor.
    const std::int64_t full[4] = {16, 16, 64, 64};
    std::int64_t full_strides[4] = {65536, 4096, 64, 1};
    int order[4] = {0, 1, 2, 3};
    std::shuffle(std::begin(order), std::end(order), random);
    std::vector<std::int64_t> shape, strides;
    for (const int d : order) {
      const std::int64_t step = 1 + static_cast<std::int64_t>(random() % 3 == 0);
      shape.push_back(
          std::max<std::int64_t>(1, full[d] / step - static_cast<std::int64_t>(random() % 2)));
      strides.push_back(full_strides[d] * step);
    }
    std::vector<float> expected;
    for (std::int64_t a = 0; a < shape[0]; ++a)
      for (std::int64_t b = 0; b < shape[1]; ++b)
        for (std::int64_t c = 0; c < shape[2]; ++c)
          for (std::int64_t d = 0; d < shape[3]; ++d)
            expected.push_back(data[static_cast<std::size_t>(a * strides[0] + b * strides[1] +
                                                             c * strides[2] + d * strides[3])]);
    const auto bytes = tensor_bytes(view_of(data, Dtype::float32, shape, strides), nullptr);
    ASSERT_EQ(streamed_as<float>(*bytes), expected) << "seed 20240611, round " << round;
  }
}

TEST(TensorBytes, ElementsOfAnySizeAreGathered) {
  for (const auto& [dtype, bytes_of_one] : {std::pair{Dtype::uint8, 1},
                                            {Dtype::float16, 2},
                                            {Dtype::int64, 8},
                                            {Dtype::complex128, 16}}) {
    const int size = bytes_of_one;  // a lambda of clang 14 captures no structured binding
    const auto data = ramp(static_cast<std::size_t>(size) * 6);
    const auto bytes = streamed(*tensor_bytes(view_of(data, dtype, {3, 2}, {1, 3}), nullptr));
    const auto element = [&](std::size_t i) {
      return std::vector(data.begin() + static_cast<long>(i) * size,
                         data.begin() + static_cast<long>(i + 1) * size);
    };
    std::vector<std::byte> expected;
    for (const std::size_t i : {0UL, 3UL, 1UL, 4UL, 2UL, 5UL}) {
      const auto one = element(i);
      expected.insert(expected.end(), one.begin(), one.end());
    }
    EXPECT_EQ(bytes, expected) << size;
  }
}

TEST(TensorBytes, TextElementsSayTheirSize) {
  const auto data = ramp(15);
  TensorView view = view_of(data, Dtype::text, {2}, {-1}, 5);
  view.item_bytes = 5;
  auto expected = std::vector(data.begin() + 5, data.begin() + 10);
  expected.insert(expected.end(), data.begin(), data.begin() + 5);
  EXPECT_EQ(streamed(*tensor_bytes(view, nullptr)), expected);
}

TEST(TensorBytes, PackedDtypesAreTheirBytes) {
  const auto data = ramp(6);
  EXPECT_EQ(tensor_bytes(view_of(data, Dtype::quint4x2, {2, 5}, {5, 1}), nullptr)->size(), 6U);
  EXPECT_EQ(tensor_bytes(view_of(data, Dtype::quint2x4, {2, 5}, {5, 1}), nullptr)->size(), 4U);
  EXPECT_EQ(tensor_bytes(view_of(data, Dtype::float4_e2m1fn_x2, {2, 3}, {3, 1}), nullptr)->size(),
            6U);
  EXPECT_THROW(tensor_bytes(view_of(data, Dtype::quint4x2, {2, 5}, {1, 2}), nullptr), Error);
}

TEST(TensorBytes, ImpossibleShapesAreRefused) {
  const auto data = ramp(8);
  constexpr std::int64_t kHuge = std::int64_t{1} << 40;
  EXPECT_THROW(tensor_bytes(view_of(data, Dtype::uint8, {-1}, {1}), nullptr), Error);
  EXPECT_THROW(tensor_bytes(view_of(data, Dtype::float32, {kHuge, kHuge}, {1, 1}), nullptr), Error);
  EXPECT_THROW(tensor_bytes(view_of(data, Dtype::none, {1}, {1}), nullptr), Error);
  EXPECT_EQ(
      tensor_bytes(view_of(data, Dtype::float32, {kHuge, kHuge, 0}, {1, 1, 1}), nullptr)->size(),
      0U);
}

TEST(TensorBytes, TheOwnerLivesAsLongAsTheBytes) {
  auto data = std::make_shared<std::vector<float>>(counting(4));
  const std::weak_ptr<std::vector<float>> watched = data;
  auto bytes = tensor_bytes(view_of(*data, Dtype::float32, {4}, {1}), data);
  data.reset();
  EXPECT_FALSE(watched.expired());
  bytes.reset();
  EXPECT_TRUE(watched.expired());
}

}  // namespace
}  // namespace samestep
