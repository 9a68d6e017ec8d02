#include "capture/torch/tensor_digest.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>

namespace samestep::libtorch {
namespace {

TEST(DigestsOfTensors, DependOnElementsTypeAndShape) {
  const at::Tensor a = at::arange(6, at::kFloat);
  EXPECT_EQ(digest_of(a), digest_of(a.clone()));
  EXPECT_NE(digest_of(a), digest_of(a.reshape({2, 3})));
  EXPECT_NE(digest_of(a), digest_of(a.to(at::kDouble)));
}

TEST(DigestsOfTensors, TellTheSignOfZero) {
  EXPECT_NE(digest_of(at::zeros({1})), digest_of(-at::zeros({1})));
}

TEST(DigestsOfTensors, OfSeveralDependOnTheirOrderAndLeaveOutTheUndefined) {
  const at::Tensor a = at::arange(3), b = at::arange(4);
  EXPECT_EQ(digest_of(at::ArrayRef<at::Tensor>({a})), digest_of(a));
  EXPECT_NE(digest_of(at::ArrayRef<at::Tensor>({a, b})),
            digest_of(at::ArrayRef<at::Tensor>({b, a})));
  EXPECT_EQ(digest_of(at::ArrayRef<at::Tensor>({a, b, at::Tensor()})),
            digest_of(at::ArrayRef<at::Tensor>({a, b})));
}

}  // namespace
}  // namespace samestep::libtorch
