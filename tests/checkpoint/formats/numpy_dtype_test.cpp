#include "checkpoint/formats/numpy_dtype.h"

#include <gtest/gtest.h>

namespace samestep {
namespace {

TEST(NumpyDtype, KnowsNumbersInEitherOrder) {
  struct Case {
    const char* text;
    Dtype dtype;
    std::uint32_t bytes;
  };
  for (const Case& c : {Case{"<f4", Dtype::float32, 4},
                        {"f8", Dtype::float64, 8},
                        {"<f2", Dtype::float16, 2},
                        {"|b1", Dtype::boolean, 1},
                        {"|i1", Dtype::int8, 1},
                        {"<i8", Dtype::int64, 8},
                        {"<u2", Dtype::uint16, 2},
                        {"u8", Dtype::uint64, 8},
                        {"<c8", Dtype::complex64, 8},
                        {"<c16", Dtype::complex128, 16},
                        {"<U2", Dtype::text, 8},
                        {"|S3", Dtype::text, 3},
                        {"|V12", Dtype::text, 12},
                        {"<M8[ns]", Dtype::text, 8},
                        {"<f16", Dtype::text, 16}}) {
    const auto type = parse_numpy_dtype(c.text);
    ASSERT_TRUE(type) << c.text;
    EXPECT_EQ(type->dtype, c.dtype) << c.text;
    EXPECT_EQ(type->item_bytes, c.bytes) << c.text;
    EXPECT_FALSE(type->big_endian) << c.text;
  }
  EXPECT_TRUE(parse_numpy_dtype(">i4")->big_endian);
  EXPECT_TRUE(parse_numpy_dtype("|O")->is_object);
  EXPECT_TRUE(parse_numpy_dtype("O8")->is_object);
}

TEST(NumpyDtype, RefusesWhatItDoesNotKnow) {
  for (const char* text :
       {"", "<", "f", "f3", "i16", "b2", "x4", "<f4x", "f-4", "U999999999999", "V4294967295"}) {
    EXPECT_FALSE(parse_numpy_dtype(text)) << text;
  }
}

}  // namespace
}  // namespace samestep
