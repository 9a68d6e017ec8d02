#include "capture/torch/device_bytes.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "capture/torch/tensor_cell.h"
#include "schemas/error.h"
#include "tests/capture/torch/stand_in_device.h"
#include "tests/checkpoint/byte_helpers.h"

namespace samestep::libtorch {
namespace {

using stand_in::kDevice;
using ::testing::Each;
using ::testing::Le;
using ::testing::SizeIs;

constexpr std::int64_t kPiece = 64;

struct Shape {
  const char* name;
  std::function<at::Tensor(const at::Tensor&)> of;  ///< of 300 elements
};

std::vector<Shape> shapes() {
  return {{"Scalar", [](const at::Tensor& t) { return t[0]; }},
          {"Row", [](const at::Tensor& t) { return t; }},
          {"Empty", [](const at::Tensor& t) { return t.narrow(0, 0, 0); }},
          {"Matrix",
           [](const at::Tensor& t) {
             return t.view({10, 30});
           }},
          {"Transposed",
           [](const at::Tensor& t) {
             return t.view({10, 30}).t();
           }},
          {"Sliced",
           [](const at::Tensor& t) {
             return t.view({10, 30}).slice(1, 3, 20, 3);
           }},
          {"Expanded",
           [](const at::Tensor& t) {
             return t.narrow(0, 0, 7).expand({5, 7});
           }},
          {"WideRows",
           [](const at::Tensor& t) {
             return t.view({3, 100}).slice(1, 0, 99, 2);
           }},
          {"NoRows", [](const at::Tensor& t) {
             return t.view({10, 30}).narrow(1, 0, 0).t();
           }}};
}

std::vector<std::string> pieces_of(const FieldBytes& bytes) {
  std::vector<std::string> pieces;
  bytes.stream([&](std::span<const std::byte> piece) {
    pieces.emplace_back(reinterpret_cast<const char*>(piece.data()), piece.size());
  });
  return pieces;
}

std::string joined(const std::vector<std::string>& pieces) {
  std::string all;
  for (const std::string& piece : pieces) all += piece;
  return all;
}

std::string canonical(const at::Tensor& host) {
  return joined(pieces_of(*tensor_entry({}, host).bytes));
}

using Case = std::tuple<std::size_t, at::ScalarType, bool>;

class BytesOfADevice : public ::testing::TestWithParam<Case> {};

TEST_P(BytesOfADevice, AreTheCanonicalOnesInPieces) {
  const auto& [shape, type, has_lane] = GetParam();
  const at::Tensor host = at::arange(300, at::kLong).remainder(100).to(type);
  const at::Tensor there = shapes()[shape].of(host.to(kDevice));
  const auto lane = has_lane ? DeviceLane::make(kDevice) : nullptr;
  const DeviceBytes bytes(there, lane, kPiece);
  const auto pieces = pieces_of(bytes);
  EXPECT_EQ(joined(pieces), canonical(shapes()[shape].of(host)));
  EXPECT_EQ(bytes.size(), there.nbytes());
  EXPECT_THAT(pieces, Each(SizeIs(Le(kPiece))));
}

std::string name_of(const ::testing::TestParamInfo<Case>& test) {
  const auto& [shape, type, has_lane] = test.param;
  return std::string(shapes()[shape].name) + c10::toString(type) + (has_lane ? "Lane" : "");
}

INSTANTIATE_TEST_SUITE_P(All, BytesOfADevice,
                         ::testing::Combine(::testing::Range(std::size_t{0}, shapes().size()),
                                            ::testing::Values(at::kFloat, at::kBFloat16, at::kLong,
                                                              at::kBool, at::kComplexFloat,
                                                              at::kFloat8_e4m3fn, at::kByte),
                                            ::testing::Bool()),
                         name_of);

TEST(BytesOfALane, MayBeReadByTwoThreadsAtATime) {
  const at::Tensor host = at::randn({1000});
  const DeviceBytes bytes(host.to(kDevice), DeviceLane::make(kDevice), 256);
  const std::string wanted = canonical(host);
  std::string beside;
  std::thread other([&] { beside = joined(pieces_of(bytes)); });
  const std::string here = joined(pieces_of(bytes));
  other.join();
  EXPECT_EQ(here, wanted);
  EXPECT_EQ(beside, wanted);
}

TEST(BytesOfALane, HaveArrivedWhereTheReaderGivesUp) {
  const DeviceBytes bytes(at::zeros({1000}).to(kDevice), DeviceLane::make(kDevice), 256);
  stand_in::finish();
  EXPECT_THROW(bytes.stream([](std::span<const std::byte>) { throw std::runtime_error("full"); }),
               std::runtime_error);
  EXPECT_EQ(stand_in::pending(), 0U) << "a copy to memory that was let go";
}

TEST(BytesOfADeviceInATree, AreReadWhenTheyAreAskedFor) {
  const at::Tensor there = at::zeros({3}).to(kDevice);
  const StateEntry entry = tensor_entry({{"model", "w"}, Role::parameter, {}}, there);
  EXPECT_EQ(entry.field.layout.device, kDevice.str());
  stand_in::ask_to_write(there, 5);
  EXPECT_EQ(streamed_as<float>(*entry.bytes), (std::vector<float>{5, 0, 0}));
}

TEST(BytesOfADeviceInATree, AreRefusedWhereTheMemoryWasGivenBack) {
  for (const at::Device device : {kDevice, at::Device(at::kCPU)}) {
    const at::Tensor tensor = at::zeros({3}).to(device);
    tensor.storage().unsafeGetStorageImpl()->set_nbytes(0);
    EXPECT_THROW(tensor_entry({{"model", "w"}, Role::parameter, {}}, tensor), Error);
    tensor.storage().unsafeGetStorageImpl()->set_nbytes(12);
  }
}

TEST(BytesOfADevice, ThatCannotBeReadAreAnError) {
  const at::Tensor there = at::zeros({4}).to(kDevice).view({2, 2}).t();
  stand_in::be_full_after(0);
  try {
    DeviceBytes(there).stream([](auto) {});
    ADD_FAILURE() << "a transposed tensor needs memory there";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unreadable);
    EXPECT_EQ(error.where(), "memory of " + kDevice.str());
  }
  stand_in::be_full_after(-1);
}

}  // namespace
}  // namespace samestep::libtorch
