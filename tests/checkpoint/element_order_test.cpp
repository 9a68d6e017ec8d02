// Byte order, and torch's lazy conjugate and negative bits.
#include "checkpoint/element_order.h"

#include <gmock/gmock.h>

#include <bit>
#include <complex>

#include "byte_helpers.h"

namespace samestep {
namespace {

using testing::ElementsAre;
using Complex = std::complex<float>;

TEST(ElementOrder, BigEndianNumbersAreTurned) {
  const auto data = bytes_of(std::string_view("\x3f\x80\x00\x00\xbf\x80\x00\x00", 8));
  TensorView view = view_of(data, Dtype::float32, {2}, {1});
  view.byte_swapped = true;
  EXPECT_THAT(streamed_as<float>(*tensor_bytes(view, nullptr)), ElementsAre(1.0F, -1.0F));
  EXPECT_TRUE(tensor_bytes(view, nullptr)->contiguous().empty());
}

TEST(ElementOrder, HalvesOfComplexNumbersAreTurnedOneByOne) {
  const auto data = bytes_of(std::string_view("\x3f\x80\x00\x00\x40\x00\x00\x00", 8));
  TensorView view = view_of(data, Dtype::complex64, {1}, {1});
  view.byte_swapped = true;
  EXPECT_THAT(streamed_as<Complex>(*tensor_bytes(view, nullptr)), ElementsAre(Complex(1, 2)));
}

TEST(ElementOrder, OneByteElementsHaveNoOrder) {
  const auto data = ramp(4);
  TensorView view = view_of(data, Dtype::uint8, {4}, {1});
  view.byte_swapped = true;
  EXPECT_EQ(streamed(*tensor_bytes(view, nullptr)), data);
  EXPECT_FALSE(tensor_bytes(view, nullptr)->contiguous().empty());
}

TEST(ElementOrder, LazyBitsAreApplied) {
  const std::vector<Complex> data = {{1, 2}, {-3, 0}};
  const auto with = [&](bool conjugate, bool negative) {
    TensorView view = view_of(data, Dtype::complex64, {2}, {1});
    view.conjugate = conjugate;
    view.negative = negative;
    return streamed_as<Complex>(*tensor_bytes(view, nullptr));
  };
  EXPECT_EQ(with(true, false)[0], Complex(1, -2));
  EXPECT_EQ(with(false, true)[0], Complex(-1, -2));
  EXPECT_EQ(with(true, true)[0], Complex(-1, 2));
  EXPECT_TRUE(std::signbit(with(true, false)[1].imag()));
}

TEST(ElementOrder, NegativeIntegersAreTwosComplement) {
  const std::vector<std::int32_t> data = {0, 1, -256, 65536};
  TensorView view = view_of(data, Dtype::int32, {4}, {1});
  view.negative = true;
  EXPECT_THAT(streamed_as<std::int32_t>(*tensor_bytes(view, nullptr)),
              ElementsAre(0, -1, 256, -65536));
}

TEST(ElementOrder, NegationOfAZeroAndOfANanFlipsTheSignAlone) {
  const std::vector<std::uint16_t> data = {0x0000, 0x7e01};
  TensorView view = view_of(data, Dtype::float16, {2}, {1});
  view.negative = true;
  EXPECT_THAT(streamed_as<std::uint16_t>(*tensor_bytes(view, nullptr)),
              ElementsAre(0x8000, 0xfe01));
}

TEST(ElementOrder, ConjugateMeansNothingForRealNumbers) {
  const std::vector<float> data = {1, 2};
  TensorView view = view_of(data, Dtype::float32, {2}, {1});
  view.conjugate = true;
  EXPECT_THAT(streamed_as<float>(*tensor_bytes(view, nullptr)), ElementsAre(1, 2));
}

TEST(ElementOrder, EmptyTensorsStayEmpty) {
  TensorView view;
  view.dtype = Dtype::complex64;
  view.shape = {0};
  view.strides = {1};
  view.conjugate = view.byte_swapped = true;
  EXPECT_TRUE(streamed(*tensor_bytes(view, nullptr)).empty());
}

}  // namespace
}  // namespace samestep
