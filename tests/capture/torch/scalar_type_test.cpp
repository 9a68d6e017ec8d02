#include "capture/torch/scalar_type.h"

#include <ATen/ops/empty.h>
#include <gtest/gtest.h>

namespace samestep::libtorch {
namespace {

TEST(ElementTypes, GoBothWaysAndKeepTheirSize) {
  int known = 0;
  for (const auto type :
       {c10::kByte, c10::kChar, c10::kShort, c10::kInt, c10::kLong, c10::kHalf, c10::kFloat,
        c10::kDouble, c10::kComplexFloat, c10::kComplexDouble, c10::kBool, c10::kBFloat16}) {
    const auto dtype = dtype_of(type);
    ASSERT_TRUE(dtype) << c10::toString(type);
    EXPECT_EQ(scalar_type_of(*dtype), type);
    EXPECT_EQ(element_bytes(*dtype), c10::elementSize(type)) << c10::toString(type);
    ++known;
  }
  EXPECT_EQ(known, 12);
}

TEST(ElementTypes, ThatOneSideLacksAreNothing) {
  EXPECT_FALSE(dtype_of(c10::ScalarType::Undefined));
  EXPECT_FALSE(scalar_type_of(Dtype::none));
}

}  // namespace
}  // namespace samestep::libtorch
