#include "capture/torch/device_lane.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <c10/core/Event.h>
#include <gtest/gtest.h>

#include "tests/capture/torch/stand_in_device.h"

namespace samestep::libtorch {
namespace {

using stand_in::kDevice;

at::Tensor host_bytes(const at::Tensor& tensor) {
  return at::zeros({static_cast<std::int64_t>(tensor.nbytes())}, at::kByte);
}

TEST(ALaneOfADevice, IsNotMadeForTheHost) {
  EXPECT_EQ(DeviceLane::make(at::kCPU), nullptr);
  EXPECT_EQ(DeviceLane::make(at::kMeta), nullptr);
}

TEST(ALaneOfADevice, CopiesWhatTheTrainerAskedForBeforeItFollows) {
  const at::Tensor tensor = at::zeros({4}).to(kDevice);
  const auto lane = DeviceLane::make(kDevice);
  ASSERT_NE(lane, nullptr);
  stand_in::ask_to_write(tensor, 7);
  lane->follow();
  const at::Tensor target = host_bytes(tensor);
  const c10::Event done = lane->copy(tensor, target);
  EXPECT_EQ(target.view(at::kFloat)[0].item<float>(), 0) << "nobody has waited yet";
  done.synchronize();
  EXPECT_EQ(target.view(at::kFloat)[0].item<float>(), 7);
}

TEST(ALaneOfADevice, DoesNotWaitForWhatTheTrainerAsksLater) {
  const at::Tensor tensor = at::zeros({4}).to(kDevice);
  const auto lane = DeviceLane::make(kDevice);
  bool is_done = false;
  stand_in::ask([&] { is_done = true; });
  const at::Tensor target = host_bytes(tensor);
  lane->copy(tensor, target).synchronize();
  EXPECT_FALSE(is_done);
  stand_in::finish();
}

TEST(ALaneOfADevice, LaysElementsSideBySide) {
  const at::Tensor tensor = at::arange(6, at::kFloat).to(kDevice).view({2, 3}).t();
  const auto lane = DeviceLane::make(kDevice);
  const at::Tensor target = host_bytes(tensor);
  lane->copy(tensor, target).synchronize();
  EXPECT_TRUE(target.view(at::kFloat).equal(at::arange(6, at::kFloat).view({2, 3}).t().flatten()));
}

}  // namespace
}  // namespace samestep::libtorch
