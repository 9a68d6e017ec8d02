// The arithmetic that devices run, on the host: the bits of the library, for all lengths that take
// another way through it, at any alignment and any strides.
#include "capture/cuda/chunk_work.h"

#include <gtest/gtest.h>

#include "checkpoint/field_bytes.h"
#include "checkpoint/fingerprint_kernel.h"
#include "checkpoint/hasher.h"
#include "host_chunk.h"

namespace samestep {
namespace {

std::vector<std::byte> noise(std::size_t size) {
  std::vector<std::byte> bytes(size);
  std::uint64_t state = 1;
  for (std::byte& byte : bytes) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    byte = static_cast<std::byte>(state >> 56);
  }
  return bytes;
}

class ChunkWork : public ::testing::Test {
 protected:
  void expect_as_library(std::size_t start, std::uint32_t size) {
    const std::span<const std::byte> chunk = std::span(bytes_).subspan(start, size);
    const auto* at = reinterpret_cast<const unsigned char*>(chunk.data());
    const std::uint32_t shift = size % 8 == 0 ? 3 : size % 4 == 0 ? 2 : size % 2 == 0 ? 1 : 0;
    const std::uint32_t width = 1U << shift;
    const Print print{1000, shift, {0, 0}};
    WideSum sum{0, 0};
    kPortableFingerprint.add(at, size / width, width, 1000, &sum);
    const ChunkResult few = by_four(PlainSource(at), size, print),
                      many = by_many(AlignedSource(at), size, print);
    const Digest want = digest_of_chunk(chunk);
    const Fingerprint want_print{sum.high, sum.low};
    ASSERT_EQ(few.digest, want) << size << " bytes from " << start;
    ASSERT_EQ(many.digest, want) << size << " bytes from " << start;
    ASSERT_EQ(few.print, want_print) << size << " bytes from " << start;
    ASSERT_EQ(many.print, want_print) << size << " bytes from " << start;
  }

  const std::vector<std::byte> bytes_ = noise((64 << 10) + 4096);
};

TEST_F(ChunkWork, AllLengthsUpTo4096) {
  for (std::uint32_t size = 0; size <= 4096; ++size) expect_as_library(size % 37, size);
}

TEST_F(ChunkWork, UnalignedStarts) {
  for (std::size_t start = 0; start <= 64; ++start) {
    for (const std::uint32_t size : {3, 8, 16, 100, 240, 241, 1024, 1025, 2000, 4097})
      expect_as_library(start, size);
  }
}

TEST_F(ChunkWork, EdgesOfBlocksAndChunks) {
  for (std::uint32_t blocks = 2; blocks <= 64; blocks += blocks < 60 ? 7 : 1) {
    for (int over = -2; over <= 2; ++over)
      expect_as_library(1, blocks * 1024 + static_cast<std::uint32_t>(over));
  }
  for (const std::uint32_t size : {65535, 65536, 65472, 65473, 65471}) expect_as_library(0, size);
}

TEST_F(ChunkWork, AnyStrides) {
  DeviceTensor tensor{reinterpret_cast<const unsigned char*>(bytes_.data()),
                      0,
                      0,
                      0,
                      4,
                      3,
                      {5, 7, 11},
                      {4 * 300, 4 * 3, 4 * 23}};
  TensorView view;
  view.base = bytes_.data();
  view.dtype = Dtype::float32;
  view.shape = {5, 7, 11};
  view.strides = {300, 3, 23};
  std::vector<std::byte> all;
  tensor_bytes(view, nullptr)->stream([&](std::span<const std::byte> piece) {
    all.insert(all.end(), piece.begin(), piece.end());
  });
  for (const std::size_t first : {0, 400, 1024}) {
    const auto rest = std::span(all).subspan(first);
    const auto size = static_cast<std::uint32_t>(rest.size());
    const ChunkResult got = by_four(StridedSource(tensor, first), size, {first / 4, 2, {0, 0}});
    WideSum sum{0, 0};
    kPortableFingerprint.add(rest.data(), size / 4, 4, first / 4, &sum);
    EXPECT_EQ(got.digest, digest_of_chunk(rest));
    EXPECT_EQ(got.print, (Fingerprint{sum.high, sum.low}));
  }
}

}  // namespace
}  // namespace samestep
