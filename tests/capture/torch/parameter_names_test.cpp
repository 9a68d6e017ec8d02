#include "capture/torch/parameter_names.h"

#include <ATen/ops/ones.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/linear.h>

namespace samestep::libtorch {
namespace {

using ::testing::ElementsAre;

TEST(NamesOfSlots, AreThoseOfTheModuleThatHasTheParameter) {
  ::torch::nn::Linear one(2, 2);
  ParameterNames names;
  names.add("model", *one);
  EXPECT_THAT(names.slot_names({one->bias, one->weight}), ElementsAre("bias", "weight"));
}

TEST(NamesOfSlots, CarryTheComponentWhereTwoModulesHaveOneOfTheSameName) {
  ::torch::nn::Linear one(2, 2), other(2, 2);
  ParameterNames names;
  names.add("model", *one);
  names.add("model.1", *other);
  EXPECT_THAT(names.slot_names({one->weight, other->weight}),
              ElementsAre("weight", "model.1.weight"));
}

TEST(NamesOfSlots, AreNumbersWhereNobodyNamesTheParameter) {
  const at::Tensor lone = at::ones({2}), watched = at::ones({2});
  ParameterNames names;
  names.add("centre", watched);
  EXPECT_THAT(names.slot_names({lone, watched}), ElementsAre("0", "centre"));
}

}  // namespace
}  // namespace samestep::libtorch
