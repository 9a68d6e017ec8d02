// A copy streams what its source streamed, whatever becomes of the source.
#include "capture/copied_bytes.h"

#include <gtest/gtest.h>

#include "tests/checkpoint/byte_helpers.h"

namespace samestep {
namespace {

TEST(CopiedBytes, OfOnePieceLieInOnePiece) {
  auto data = ramp(100);
  const auto source = tensor_bytes(view_of(data, Dtype::uint8, {100}, {1}), nullptr);
  const CopiedBytes copy(*source);
  const auto expected = data;
  data.assign(100, std::byte{0});
  EXPECT_EQ(streamed(copy), expected);
  EXPECT_EQ(copy.contiguous().size(), 100U);
}

TEST(CopiedBytes, OfAStridedTensorAreCanonical) {
  const std::vector<float> data = {1, 2, 3, 4, 5, 6};
  const auto source = tensor_bytes(view_of(data, Dtype::float32, {3, 2}, {1, 3}), nullptr);
  const CopiedBytes copy(*source);
  EXPECT_EQ(streamed_as<float>(copy), (std::vector<float>{1, 4, 2, 5, 3, 6}));
  EXPECT_TRUE(copy.contiguous().empty());
}

TEST(CopiedBytes, OfNothingAreNothing) {
  const std::vector<float> none(1);
  const auto source = tensor_bytes(view_of(none, Dtype::float32, {0}, {1}), nullptr);
  EXPECT_TRUE(streamed(CopiedBytes(*source)).empty());
}

}  // namespace
}  // namespace samestep
