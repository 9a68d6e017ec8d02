#include "capture/torch/live_bytes.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include "capture/torch/tensor_cell.h"
#include "tests/checkpoint/byte_helpers.h"

namespace samestep::libtorch {
namespace {

const LiveBytes& live(const StateEntry& entry) {
  return dynamic_cast<const LiveBytes&>(*entry.bytes);
}

TEST(LiveBytesOfATensor, AreItsElementsWhereTheyLie) {
  at::Tensor tensor = at::arange(6, at::kFloat);
  const StateEntry entry = tensor_entry({{"model", "w"}, Role::parameter, {}}, tensor);
  EXPECT_EQ(live(entry).contiguous().data(), tensor.const_data_ptr());
  EXPECT_TRUE(live(entry).tensor().is_same(tensor));
  tensor.add_(1);
  EXPECT_EQ(streamed_as<float>(*entry.bytes), (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST(LiveBytesOfATensor, HaveTheShapeOfAStridedOne) {
  const at::Tensor tensor = at::arange(6, at::kFloat).view({2, 3}).t();
  const StateEntry entry = tensor_entry({{"model", "w"}, Role::parameter, {}}, tensor);
  EXPECT_EQ(live(entry).view().shape, (std::vector<std::int64_t>{3, 2}));
  EXPECT_EQ(live(entry).size(), 24U);
  EXPECT_TRUE(live(entry).contiguous().empty());
  EXPECT_EQ(streamed_as<float>(*entry.bytes), (std::vector<float>{0, 3, 1, 4, 2, 5}));
}

TEST(LiveBytesOfATensor, StayWhereItIsGivenOtherMemory) {
  at::Tensor tensor = at::arange(3, at::kFloat);
  const StateEntry entry = tensor_entry({{"model", "w"}, Role::parameter, {}}, tensor);
  tensor.set_data(at::zeros({3}));
  EXPECT_EQ(streamed_as<float>(*entry.bytes), (std::vector<float>{0, 1, 2}));
}

}  // namespace
}  // namespace samestep::libtorch
