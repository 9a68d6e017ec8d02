// The fingerprint scheme: its vectors, and that a sum does not depend on how elements came.
#include "checkpoint/fingerprint.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "byte_helpers.h"
#include "checkpoint/fingerprint_kernel.h"
#include "schemas/error.h"

namespace samestep {
namespace {

std::vector<std::byte> hex_bytes(std::string_view text) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < text.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(std::stoi(std::string(text.substr(i, 2)), nullptr, 16)));
  return bytes;
}

std::vector<std::int64_t> row_major(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

struct Vector {
  Dtype dtype;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;
  const char *sum, *bound;
};

const Vector kVectors[] = {
    {Dtype::float32,
     {0},
     hex_bytes(""),
     "00000000000000000000000000000000",
     "83ce194cc97d53a772ad6ca5fdbdc644"},
    {Dtype::float32,
     {},
     hex_bytes("0000803f"),
     "c8ef1837980f10fe857494fcdaa67953",
     "aeeb7ee2eed61e644f442197eb7a28da"},
    {Dtype::float32,
     {1},
     hex_bytes("0000803f"),
     "c8ef1837980f10fe857494fcdaa67953",
     "c8acb262a15b5aad4beb493fc8cffb67"},
    {Dtype::float32,
     {2},
     hex_bytes("0000803f00000080"),
     "e8d3c0c66601fe88562967ef59080db5",
     "69a3e5ccde9eeae6419316bfb0c001f7"},
    {Dtype::float32,
     {2},
     hex_bytes("000000800000803f"),
     "ccbb09cd5b766a84f10feb27f1ca9ba8",
     "e78ea7091273a2f52dcc7402ca82c970"},
    {Dtype::uint8,
     {251},
     ramp(251),
     "953da73cdf2ddea7d3214ceab45b385d",
     "817152434e238e4c6f6278ea091510e7"},
    {Dtype::bfloat16,
     {3, 37},
     ramp(222),
     "5732f0f4b376d1cc4f0d58327a2b3c98",
     "0ddf72eaf635088b450b5108e809694a"},
    {Dtype::float32,
     {7, 11, 3},
     ramp(924),
     "f9f4d7a2b8236992ddd9d21e43fb3c3e",
     "f2b9fad5a456c98ea396368ca5a2d028"},
    {Dtype::float64,
     {13, 5},
     ramp(520),
     "d55b6e345d0c58fd20ddceb34a524635",
     "e5f0f28c78ca0af3f5bc6b522023fe30"},
    {Dtype::complex128,
     {5, 5},
     ramp(400),
     "77a87381dc4b41f7e0c8ad494a77afc5",
     "7f4678bd1851a46558146c5054734cd8"},
};

Fingerprint of(const std::vector<std::byte>& bytes, Dtype dtype,
               const std::vector<std::int64_t>& shape) {
  return fingerprint_of(*tensor_bytes(view_of(bytes, dtype, shape, row_major(shape)), nullptr),
                        dtype, shape);
}

TEST(Fingerprint, TensorsHaveTheSumsOfTheScheme) {
  for (const Vector& vector : kVectors) {
    const Fingerprint sum = of(vector.bytes, vector.dtype, vector.shape);
    EXPECT_EQ(sum.hex(), vector.sum) << to_string(vector.dtype);
    EXPECT_EQ(bound(sum, vector.dtype, vector.shape).hex(), vector.bound)
        << to_string(vector.dtype);
  }
}

TEST(Fingerprint, KernelsGiveTheSameBits) {
  const FingerprintKernel& kernel = fingerprint_kernel();
  const auto bytes = ramp(5000);
  for (const unsigned width : {1U, 2U, 4U, 8U}) {
    for (std::size_t count = 0; count < 300; ++count) {
      for (const std::uint64_t first : {0ULL, 77ULL, (1ULL << 33) - 5, ~0ULL - 60}) {
        WideSum want{3, ~0ULL}, got = want;
        kPortableFingerprint.add(bytes.data() + count % 9, count, width, first, &want);
        kernel.add(bytes.data() + count % 9, count, width, first, &got);
        ASSERT_EQ(got.low, want.low) << kernel.name << " " << width << " " << count;
        ASSERT_EQ(got.high, want.high) << kernel.name << " " << width << " " << count;
      }
    }
  }
}

TEST(Fingerprint, DoesNotDependOnStridesOrThreads) {
  const auto bytes = ramp(3 * 1024 * 1024);
  const std::vector<std::int64_t> shape = {512, 1536};
  const Fingerprint whole = of(bytes, Dtype::float32, shape);
  WideSum one{0, 0};
  kPortableFingerprint.add(bytes.data(), 512 * 1536, 4, 0, &one);
  EXPECT_EQ(whole, (Fingerprint{one.high, one.low}));

  std::vector<std::byte> transposed(bytes.size());
  for (std::size_t row = 0; row < 512; ++row) {
    for (std::size_t column = 0; column < 1536; ++column)
      std::copy_n(&bytes[(row * 1536 + column) * 4], 4, &transposed[(column * 512 + row) * 4]);
  }
  const auto view = view_of(transposed, Dtype::float32, shape, {1, 512});
  EXPECT_EQ(fingerprint_of(*tensor_bytes(view, nullptr), Dtype::float32, shape), whole);
}

/// Pieces that cut elements.
class InPieces final : public FieldBytes {
 public:
  InPieces(std::vector<std::byte> bytes, std::size_t each)
      : bytes_(std::move(bytes)), each_(each) {}
  std::uint64_t size() const override { return bytes_.size(); }
  void stream(const ByteSink& sink) const override {
    for (std::size_t at = 0; at < bytes_.size(); at += each_)
      sink(std::span(bytes_).subspan(at, std::min(each_, bytes_.size() - at)));
  }

 private:
  std::vector<std::byte> bytes_;
  std::size_t each_;
};

TEST(Fingerprint, DoesNotDependOnThePieces) {
  for (const Vector& vector : kVectors) {
    for (std::size_t each = 1; each < 40; ++each) {
      const InPieces bytes(vector.bytes, each);
      EXPECT_EQ(fingerprint_of(bytes, vector.dtype, vector.shape).hex(), vector.sum) << each;
    }
  }
}

TEST(Fingerprint, ElementsOfUnevenSizeAreWordsToo) {
  const auto bytes = ramp(12 * 5);
  const std::vector<std::int64_t> five = {5};
  const InPieces text(bytes, 7);
  WideSum want{0, 0};
  for (std::uint64_t i = 0; i < 5; ++i) {
    std::uint64_t low = 0, high = 0;
    std::memcpy(&low, &bytes[12 * i], 8);
    std::memcpy(&high, &bytes[12 * i + 8], 4);
    add_to(want, mix_word(2 * i, low));
    add_to(want, mix_word(2 * i + 1, high));
  }
  EXPECT_EQ(fingerprint_of(text, Dtype::text, five), (Fingerprint{want.high, want.low}));
}

TEST(Fingerprint, APartThatLiesOutsideIsRefused) {
  const auto bytes = ramp(16);
  const InPieces part(bytes, 16);
  using Sizes = std::vector<std::int64_t>;
  const auto tried = [&](const Sizes& shape, const Sizes& offsets, const Sizes& whole) {
    return fingerprint_of_block(part, Dtype::float32, shape, offsets, whole);
  };
  EXPECT_NO_THROW(tried({2, 2}, {1, 1}, {3, 3}));
  EXPECT_THROW(tried({2, 2}, {2, 1}, {3, 3}), Error);
  EXPECT_THROW(tried({2, 2}, {-1, 1}, {3, 3}), Error);
  EXPECT_THROW(tried({2, 2}, {1, 1}, {3}), Error);
  EXPECT_THROW(tried({4}, {0}, {3}), Error);
}

}  // namespace
}  // namespace samestep
