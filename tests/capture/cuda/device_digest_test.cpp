// The device gives what the host gives. Skips, with the reason, where no device is.
#include "capture/cuda/device_digest.h"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include "checkpoint/fingerprint.h"
#include "checkpoint/hasher.h"

namespace samestep {
namespace {

using Sizes = std::vector<std::int64_t>;

/// A tensor on both sides. `shift`: bytes by which its start misses a multiple of 256.
class Twin {
 public:
  Twin(Dtype dtype, Sizes shape, Sizes strides, std::size_t elements, std::size_t shift)
      : dtype_(dtype), shape_(std::move(shape)), strides_(std::move(strides)), shift_(shift) {
    host_.resize(elements * element_bytes(dtype));
    for (std::size_t i = 0; i < host_.size(); ++i)
      host_[i] = static_cast<std::byte>(i * 131 + i / 251);
    EXPECT_EQ(cudaMalloc(&device_, host_.size() + shift + 1), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(base(), host_.data(), host_.size(), cudaMemcpyHostToDevice), cudaSuccess);
  }
  Twin(Twin&& other) noexcept
      : dtype_(other.dtype_),
        shape_(other.shape_),
        strides_(other.strides_),
        shift_(other.shift_),
        host_(std::move(other.host_)),
        device_(std::exchange(other.device_, nullptr)) {}
  ~Twin() { cudaFree(device_); }

  std::byte* base() const { return static_cast<std::byte*>(device_) + shift_; }
  DeviceField field() const { return {base(), dtype_, shape_, strides_, 0}; }

  DeviceResult expected() const {
    TensorView view;
    view.base = host_.data();
    view.dtype = dtype_;
    view.shape = shape_;
    view.strides = strides_;
    if (strides_.empty()) {
      view.strides = Sizes(shape_.size(), 1);
      for (std::size_t i = shape_.size(); i-- > 1;)
        view.strides[i - 1] = view.strides[i] * shape_[i];
    }
    const auto bytes = tensor_bytes(view, nullptr);
    return {digest_of(*bytes, dtype_, shape_), fingerprint_of(*bytes, dtype_, shape_)};
  }

 private:
  Dtype dtype_;
  Sizes shape_, strides_;
  std::size_t shift_;
  std::vector<std::byte> host_;
  void* device_ = nullptr;
};

Twin flat(Dtype dtype, std::int64_t elements, std::size_t shift = 0) {
  return {dtype, {elements}, {}, static_cast<std::size_t>(elements), shift};
}

class OnDevice : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string missing = missing_device(); !missing.empty()) GTEST_SKIP() << missing;
  }

  static void expect_equal(const std::vector<Twin>& twins) {
    std::vector<DeviceField> fields;
    for (const Twin& twin : twins) fields.push_back(twin.field());
    DeviceDigest with(fields, DeviceDigest::Prints::with),
        without(fields, DeviceDigest::Prints::without);
    for (int again = 0; again < 2; ++again) {
      with.start(nullptr);
      without.start(nullptr);
      const auto prints = with.finish(), digests = without.finish();
      ASSERT_EQ(prints.size(), twins.size());
      for (std::size_t i = 0; i < twins.size(); ++i) {
        const DeviceResult want = twins[i].expected();
        EXPECT_EQ(prints[i].tree.root, want.tree.root) << i;
        EXPECT_EQ(prints[i].tree.chunks, want.tree.chunks) << i;
        EXPECT_EQ(prints[i].print, want.print) << i;
        EXPECT_EQ(digests[i].tree.root, want.tree.root) << i;
        EXPECT_EQ(digests[i].print, Fingerprint{}) << i;
      }
    }
  }
};

TEST_F(OnDevice, SmallTensorsAtAnyAlignment) {
  std::vector<Twin> twins;
  for (std::int64_t size = 0; size <= 1100; size += size < 300 ? 1 : 37)
    twins.push_back(flat(Dtype::uint8, size, static_cast<std::size_t>(size % 17)));
  expect_equal(twins);
}

TEST_F(OnDevice, EdgesOfChunksAndAllWidths) {
  std::vector<Twin> twins;
  for (const std::int64_t over : {-2, -1, 0, 1, 2})
    twins.push_back(flat(Dtype::uint8, 3 * 65536 + over, 0));
  for (const Dtype dtype :
       {Dtype::bfloat16, Dtype::float32, Dtype::float64, Dtype::complex128, Dtype::boolean})
    twins.push_back(flat(dtype, 70'001));
  expect_equal(twins);
}

TEST_F(OnDevice, Strides) {
  std::vector<Twin> twins;
  twins.emplace_back(Dtype::float32, Sizes{300, 200}, Sizes{1, 300}, 60'000, 0);
  twins.emplace_back(Dtype::bfloat16, Sizes{4, 5, 6, 7}, Sizes{210, 1, 35, 5}, 840, 2);
  twins.emplace_back(Dtype::float32, Sizes{1000, 3}, Sizes{1, 0}, 1000, 4);
  expect_equal(twins);
}

TEST_F(OnDevice, ManyChunksTakeTheNarrowKernel) {
  std::vector<Twin> twins;
  twins.push_back(flat(Dtype::float32, (700 << 20) / 4));
  twins.push_back(flat(Dtype::float32, 1001, 4));
  twins.push_back(flat(Dtype::uint8, (100 << 20) + 77, 1));
  expect_equal(twins);
}

}  // namespace
}  // namespace samestep
