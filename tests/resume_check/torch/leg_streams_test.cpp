#include "resume_check/torch/leg_streams.h"

#include <ATen/Context.h>
#include <ATen/core/Generator.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/rand.h>
#include <gtest/gtest.h>

namespace samestep::libtorch {
namespace {

at::Tensor draw_in(LegStreams& leg) {
  const LegStreams::Inside inside(leg);
  return at::rand({4});
}

TEST(StreamsOfALeg, GoOnWhereTheLegLeftThem) {
  LegStreams one(5), other(5);
  const at::Tensor first = draw_in(one), second = draw_in(one);
  EXPECT_FALSE(at::equal(first, second));
  EXPECT_TRUE(at::equal(draw_in(other), first));
  at::rand({4});
  EXPECT_TRUE(at::equal(draw_in(other), second));
}

TEST(StreamsOfALeg, DifferBySeed) {
  LegStreams one(5), other(6);
  EXPECT_FALSE(at::equal(draw_in(one), draw_in(other)));
}

TEST(StreamsOfALeg, LeaveThoseOutsideAlone) {
  at::Generator outside = at::detail::getDefaultCPUGenerator();
  const at::Tensor before = outside.get_state();
  LegStreams leg(5);
  draw_in(leg);
  EXPECT_TRUE(at::equal(outside.get_state(), before));
}

}  // namespace
}  // namespace samestep::libtorch
