#include "schemas/dtype.h"

#include <gtest/gtest.h>

namespace samestep {
namespace {

TEST(DtypeTest, NamesSizesAndPinnedValues) {
  struct Row {
    const char* name;
    unsigned value, bytes;
    bool floating;
  };
  const Row rows[] = {{"bool", 1, 1, false},
                      {"uint8", 2, 1, false},
                      {"int64", 6, 8, false},
                      {"uint16", 7, 2, false},
                      {"float16", 10, 2, true},
                      {"bfloat16", 11, 2, true},
                      {"float32", 12, 4, true},
                      {"float64", 13, 8, true},
                      {"complex32", 14, 4, true},
                      {"complex64", 15, 8, true},
                      {"complex128", 16, 16, true},
                      {"float8_e4m3fn", 17, 1, true},
                      {"float8_e8m0fnu", 21, 1, true},
                      {"float4_e2m1fn_x2", 22, 1, true},
                      {"qint8", 23, 1, false},
                      {"qint32", 25, 4, false},
                      {"bits8", 28, 1, false},
                      {"text", 29, 0, false},
                      {"none", 0, 0, false}};
  for (const Row& row : rows) {
    const Dtype dtype = static_cast<Dtype>(row.value);
    EXPECT_EQ(to_string(dtype), row.name);
    EXPECT_EQ(element_bytes(dtype), row.bytes) << row.name;
    EXPECT_EQ(is_floating(dtype), row.floating) << row.name;
    EXPECT_EQ(dtype_from(row.name), dtype);
    EXPECT_EQ(dtype_from(std::string("torch.") + row.name), dtype);
  }
  EXPECT_FALSE(dtype_from("float128"));
  EXPECT_FALSE(dtype_from(""));
}

}  // namespace
}  // namespace samestep
