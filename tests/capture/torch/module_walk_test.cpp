#include "capture/torch/module_walk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/linear.h>

namespace samestep::libtorch {
namespace {

using ::testing::ElementsAre;

struct InnerImpl : ::torch::nn::Module {
  InnerImpl() {
    register_module("0", ::torch::nn::Linear(2, 3));
    register_module("1", ::torch::nn::BatchNorm1d(3));
  }
};

struct OuterImpl : ::torch::nn::Module {
  OuterImpl() {
    register_module("0", std::make_shared<InnerImpl>());
    register_module("1", ::torch::nn::Linear(::torch::nn::LinearOptions(3, 1).bias(false)));
  }
};

class WalksOfAModule : public ::testing::Test {
 protected:
  const std::shared_ptr<OuterImpl> outer_ = std::make_shared<OuterImpl>();
};

TEST_F(WalksOfAModule, MeetEachModuleBeforeItsChildren) {
  std::vector<std::string> names;
  for (const NamedModule& part : modules_of(*outer_)) names.push_back(part.name);
  EXPECT_THAT(names, ElementsAre("", "0", "0.0", "0.1", "1"));
}

TEST_F(WalksOfAModule, NameParametersBeforeBuffersAndNoneThatIsUndefined) {
  std::vector<std::string> names;
  for (const NamedModule& part : modules_of(*outer_))
    for (const NamedTensor& item : tensors_of(part)) names.push_back(item.name);
  EXPECT_THAT(names,
              ElementsAre("0.0.weight", "0.0.bias", "0.1.weight", "0.1.bias", "0.1.running_mean",
                          "0.1.running_var", "0.1.num_batches_tracked", "1.weight"));
}

TEST_F(WalksOfAModule, FindByName) {
  EXPECT_EQ(find_module(*outer_, ""), outer_.get());
  EXPECT_NE(find_module(*outer_, "0.1"), nullptr);
  EXPECT_EQ(find_module(*outer_, "0.7"), nullptr);
  ASSERT_TRUE(find_tensor(*outer_, "0.1.running_mean"));
  EXPECT_FALSE(find_tensor(*outer_, "0.1.running_mean")->is_parameter);
  EXPECT_FALSE(find_tensor(*outer_, "1.bias"));
  EXPECT_FALSE(find_tensor(*outer_, "7.weight"));
}

}  // namespace
}  // namespace samestep::libtorch
