#include "checkpoint/naming/scalar.h"

#include <gtest/gtest.h>

#include <cmath>

#include "schemas/error.h"
#include "tests/checkpoint/naming/sketch.h"

namespace samestep {
namespace {

template <typename T>
std::optional<Value> decoded(Dtype dtype, T bits, const std::vector<std::int64_t>& shape = {}) {
  std::vector<std::byte> bytes(sizeof bits);
  std::memcpy(bytes.data(), &bits, sizeof bits);
  return scalar_value(dtype, shape, sketch::HeldBytes(std::move(bytes)));
}

TEST(Scalar, decodes_each_plain_dtype) {
  EXPECT_EQ(decoded(Dtype::boolean, std::uint8_t{1}), Value{true});
  EXPECT_EQ(decoded(Dtype::int8, std::int8_t{-3}), Value{std::int64_t{-3}});
  EXPECT_EQ(decoded(Dtype::uint8, std::uint8_t{200}), Value{std::int64_t{200}});
  EXPECT_EQ(decoded(Dtype::int16, std::int16_t{-300}), Value{std::int64_t{-300}});
  EXPECT_EQ(decoded(Dtype::uint16, std::uint16_t{60000}), Value{std::int64_t{60000}});
  EXPECT_EQ(decoded(Dtype::int32, std::int32_t{-70000}), Value{std::int64_t{-70000}});
  EXPECT_EQ(decoded(Dtype::uint32, std::uint32_t{4000000000u}), Value{std::int64_t{4000000000}});
  EXPECT_EQ(decoded(Dtype::int64, std::int64_t{1} << 60), Value{std::int64_t{1} << 60});
  EXPECT_EQ(decoded(Dtype::float32, 1.5f), Value{1.5});
  EXPECT_EQ(decoded(Dtype::float64, 0.1), Value{0.1});
  EXPECT_EQ(decoded(Dtype::bfloat16, std::uint16_t{0x3FC0}), Value{1.5});
}

TEST(Scalar, decodes_what_one_byte_or_the_sign_makes_special) {
  EXPECT_EQ(decoded(Dtype::uint64, std::uint64_t{5}), Value{std::int64_t{5}});
  EXPECT_EQ(display(*decoded(Dtype::uint64, ~std::uint64_t{0})), "18446744073709551615");
  EXPECT_EQ(decoded(Dtype::float8_e4m3fn, std::uint8_t{0x38}), Value{1.0});
  EXPECT_EQ(decoded(Dtype::float8_e5m2, std::uint8_t{0xC0}), Value{-2.0});
  EXPECT_EQ(decoded(Dtype::qint8, std::uint8_t{1}), std::nullopt);
}

TEST(Scalar, decodes_half_precision) {
  EXPECT_EQ(decoded(Dtype::float16, std::uint16_t{0x3C00}), Value{1.0});
  EXPECT_EQ(decoded(Dtype::float16, std::uint16_t{0xC500}), Value{-5.0});
  EXPECT_EQ(decoded(Dtype::float16, std::uint16_t{0x0001}), Value{std::ldexp(1.0, -24)});
  EXPECT_EQ(decoded(Dtype::float16, std::uint16_t{0x7BFF}), Value{65504.0});
  EXPECT_TRUE(std::isinf(std::get<double>(*decoded(Dtype::float16, std::uint16_t{0x7C00}))));
}

TEST(Scalar, one_element_only) {
  EXPECT_EQ(decoded(Dtype::float32, 2.0f, {1, 1}), Value{2.0});
  EXPECT_EQ(decoded(Dtype::float32, std::int64_t{0}, {2}), std::nullopt);
  EXPECT_EQ(decoded(Dtype::float32, std::int64_t{0}), std::nullopt);
  EXPECT_EQ(decoded(Dtype::complex64, std::int64_t{0}), std::nullopt);
}

class Unreadable : public FieldBytes {
 public:
  std::uint64_t size() const override { return 4; }
  void stream(const ByteSink&) const override {
    throw Error(ErrorCode::unreadable, "gone", "file");
  }
};

TEST(Scalar, bytes_that_cannot_be_read_give_nothing) {
  EXPECT_EQ(scalar_value(Dtype::float32, {}, Unreadable()), std::nullopt);
}

TEST(Scalar, integers_in_any_representation) {
  EXPECT_EQ(integer_of(Value{std::int64_t{5}}), 5);
  EXPECT_EQ(integer_of(Value{5.0}), 5);
  EXPECT_EQ(integer_of(Value{5.5}), std::nullopt);
  EXPECT_EQ(integer_of(Value{NAN}), std::nullopt);
  EXPECT_EQ(integer_of(Value{1e300}), std::nullopt);
  EXPECT_EQ(integer_of(Value{true}), std::nullopt);
  EXPECT_EQ(integer_of(Field{}), std::nullopt);
}

}  // namespace
}  // namespace samestep
