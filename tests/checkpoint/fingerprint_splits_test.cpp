// The sums of the parts are the sum of the whole, over all ways to split small tensors in two and
// in four; and what a fingerprint and a digest find.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "byte_helpers.h"
#include "checkpoint/fingerprint.h"
#include "checkpoint/hasher.h"

namespace samestep {
namespace {

using Sizes = std::vector<std::int64_t>;

struct Tensor {
  Dtype dtype;
  Sizes shape;
  std::vector<std::byte> bytes;

  Sizes strides() const {
    Sizes all(shape.size(), 1);
    for (std::size_t i = shape.size(); i-- > 1;) all[i - 1] = all[i] * shape[i];
    return all;
  }
  std::int64_t elements() const {
    std::int64_t count = 1;
    for (const std::int64_t size : shape) count *= size;
    return count;
  }
  Fingerprint whole() const {
    return fingerprint_of(*tensor_bytes(view_of(bytes, dtype, shape, strides()), nullptr), dtype,
                          shape);
  }
  /// A block as a rank would hold it: a copy of its own when `packed`, else a view.
  Fingerprint block(const Sizes& offsets, const Sizes& sizes, bool packed) const {
    const std::uint32_t item = element_bytes(dtype);
    std::int64_t first = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) first += offsets[i] * strides()[i];
    const auto view = tensor_bytes(
        view_of(bytes, dtype, sizes, strides(), static_cast<std::size_t>(first) * item), nullptr);
    if (!packed) return fingerprint_of_block(*view, dtype, sizes, offsets, shape);
    const Tensor copy{dtype, sizes, streamed(*view)};
    return fingerprint_of_block(
        *tensor_bytes(view_of(copy.bytes, dtype, sizes, copy.strides()), nullptr), dtype, sizes,
        offsets, shape);
  }
  Fingerprint range(std::int64_t first, std::int64_t end) const {
    const std::uint32_t item = element_bytes(dtype);
    const Sizes sizes = {end - first};
    const auto part = tensor_bytes(
        view_of(bytes, dtype, sizes, {1}, static_cast<std::size_t>(first) * item), nullptr);
    return fingerprint_of_range(*part, dtype, static_cast<std::uint64_t>(end - first),
                                static_cast<std::uint64_t>(first));
  }
};

std::vector<Tensor> tensors() {
  std::vector<Tensor> all;
  for (const Dtype dtype :
       {Dtype::uint8, Dtype::bfloat16, Dtype::float32, Dtype::float64, Dtype::complex128}) {
    for (const Sizes& shape : {Sizes{}, Sizes{7}, Sizes{3, 5}, Sizes{5, 1, 4}, Sizes{2, 3, 4},
                               Sizes{40, 3}, Sizes{2, 0, 3}}) {
      Tensor tensor{dtype, shape, {}};
      tensor.bytes = ramp(static_cast<std::size_t>(tensor.elements()) * element_bytes(dtype));
      all.push_back(std::move(tensor));
    }
  }
  return all;
}

/// The blocks of `tensor` with axis `axis` between `first` and `end`.
Fingerprint slab(const Tensor& tensor, std::size_t axis, std::int64_t first, std::int64_t end,
                 bool packed) {
  Sizes offsets(tensor.shape.size(), 0), sizes = tensor.shape;
  offsets[axis] = first;
  sizes[axis] = end - first;
  return tensor.block(offsets, sizes, packed);
}

TEST(FingerprintSplits, TwoPartsAlongEachAxisAtEachPlace) {
  for (const Tensor& tensor : tensors()) {
    for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
      for (std::int64_t cut = 0; cut <= tensor.shape[axis]; ++cut) {
        for (const bool packed : {false, true}) {
          EXPECT_EQ(slab(tensor, axis, 0, cut, packed) +
                        slab(tensor, axis, cut, tensor.shape[axis], packed),
                    tensor.whole());
        }
      }
    }
  }
}

TEST(FingerprintSplits, FourPartsAlongEachAxisAtAllPlaces) {
  for (const Tensor& tensor : tensors()) {
    for (std::size_t axis = 0; axis < tensor.shape.size(); ++axis) {
      const std::int64_t size = std::min<std::int64_t>(tensor.shape[axis], 7);
      const std::int64_t last = tensor.shape[axis];
      for (std::int64_t a = 0; a <= size; ++a) {
        for (std::int64_t b = a; b <= size; ++b) {
          for (std::int64_t c = b; c <= size; ++c) {
            EXPECT_EQ(slab(tensor, axis, 0, a, true) + slab(tensor, axis, a, b, true) +
                          slab(tensor, axis, b, c, true) + slab(tensor, axis, c, last, true),
                      tensor.whole());
          }
        }
      }
    }
  }
}

TEST(FingerprintSplits, FourTilesOfTwoAxes) {
  for (const Tensor& tensor : tensors()) {
    if (tensor.shape.size() < 2) continue;
    const std::size_t last = tensor.shape.size() - 1;
    const std::int64_t rows = tensor.shape[0], columns = tensor.shape[last];
    for (std::int64_t row = 0; row <= rows; ++row) {
      for (std::int64_t column = 0; column <= columns; ++column) {
        Fingerprint sum;
        for (const auto& [top, bottom] : {std::pair{std::int64_t{0}, row}, {row, rows}}) {
          for (const auto& [left, right] :
               {std::pair{std::int64_t{0}, column}, {column, columns}}) {
            Sizes offsets(tensor.shape.size(), 0), sizes = tensor.shape;
            offsets[0] = top;
            sizes[0] = bottom - top;
            offsets[last] = left;
            sizes[last] = right - left;
            sum += tensor.block(offsets, sizes, true);
          }
        }
        EXPECT_EQ(sum, tensor.whole());
      }
    }
  }
}

TEST(FingerprintSplits, FlatRangesAtAllPlaces) {
  for (const Tensor& tensor : tensors()) {
    const std::int64_t count = tensor.elements();
    if (count > 24) continue;
    for (std::int64_t a = 0; a <= count; ++a) {
      EXPECT_EQ(tensor.range(0, a) + tensor.range(a, count), tensor.whole());
      for (std::int64_t b = a; b <= count; ++b) {
        for (std::int64_t c = b; c <= count; ++c) {
          EXPECT_EQ(
              tensor.range(c, count) + tensor.range(0, a) + tensor.range(b, c) + tensor.range(a, b),
              tensor.whole());
        }
      }
    }
  }
}

/// A change is found by the digest and by the fingerprint.
class Detection : public ::testing::Test {
 protected:
  static constexpr std::size_t kFloats = 5000;

  Detection() : floats_(kFloats) {
    for (float& value : floats_) value = std::normal_distribution<float>()(random_);
    before_ = {digest(), print()};
  }
  void expect_found(const std::string& what) {
    ASSERT_NE(digest(), before_.first) << what << ", seed 5";
    ASSERT_NE(print(), before_.second) << what << ", seed 5";
  }
  std::size_t place() { return random_() % kFloats; }

  std::mt19937 random_{5};
  std::vector<float> floats_;

 private:
  FieldBytesPtr bytes() const {
    return tensor_bytes(view_of(floats_, Dtype::float32, shape_, {1}), nullptr);
  }
  Digest digest() const { return digest_of(*bytes(), Dtype::float32, shape_).root; }
  Fingerprint print() const { return fingerprint_of(*bytes(), Dtype::float32, shape_); }

  const Sizes shape_ = {kFloats};
  std::pair<Digest, Fingerprint> before_;
};

TEST_F(Detection, FlippedBits) {
  for (int i = 0; i < 4000; ++i) {
    const std::size_t at = place();
    const std::uint32_t bit = 1U << random_() % 32;
    std::uint32_t word;
    std::memcpy(&word, &floats_[at], 4);
    word ^= bit;
    std::memcpy(&floats_[at], &word, 4);
    expect_found("flip " + std::to_string(i));
    word ^= bit;
    std::memcpy(&floats_[at], &word, 4);
  }
}

TEST_F(Detection, SwapsShiftsAndPermutations) {
  const auto original = floats_;
  for (int i = 0; i < 1000; ++i) {
    std::swap(floats_[place()], floats_[place()]);
    if (floats_ != original) expect_found("swap " + std::to_string(i));
    floats_ = original;
    std::rotate(floats_.begin(), floats_.begin() + 1 + place() % (kFloats - 1), floats_.end());
    expect_found("shift " + std::to_string(i));
    floats_ = original;
    std::shuffle(floats_.begin(), floats_.begin() + 2 + place() % 50, random_);
    if (floats_ != original) expect_found("permutation " + std::to_string(i));
    floats_ = original;
  }
}

TEST_F(Detection, SignsOfZeroAndOfAll) {
  std::ranges::fill(floats_, 0.0F);
  const auto print = [this] {
    const Sizes shape = {kFloats};
    return fingerprint_of(*tensor_bytes(view_of(floats_, Dtype::float32, shape, {1}), nullptr),
                          Dtype::float32, shape);
  };
  const Fingerprint zeros = print();
  for (int i = 0; i < 500; ++i) {
    std::ranges::fill(floats_, 0.0F);
    for (int k = 0; k <= i % 7; ++k) floats_[place()] = -0.0F;
    ASSERT_NE(print(), zeros) << i;
  }
  std::ranges::fill(floats_, -0.0F);
  EXPECT_NE(print(), zeros);
}

}  // namespace
}  // namespace samestep
