#include "capture/torch/module_probe.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capture/probe_set.h"
#include "tests/capture/torch/tiny_trainer.h"

namespace samestep::libtorch {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Not;

class ModuleProbes : public ::testing::Test {
 protected:
  ModuleProbes() {
    set_.add(module_probe("model", *net_));
    set_.add(gradient_probe("gradients", *net_));
  }
  StateTree now() const { return snapshot_of(set_.read()); }

  TinyNet net_;
  ProbeSet set_;
};

TEST_F(ModuleProbes, PutTheTrainingFlagOfEachSubmoduleBack) {
  net_->norm->eval();
  const StateTree saved = now();
  net_->train();
  net_->drop->eval();
  set_.restore(saved, "the test");
  EXPECT_TRUE(net_->is_training());
  EXPECT_TRUE(net_->drop->is_training());
  EXPECT_FALSE(net_->norm->is_training());
}

TEST_F(ModuleProbes, PutBackWhatIsFrozen) {
  net_->first->weight.set_requires_grad(false);
  const StateTree saved = now();
  EXPECT_NE(saved.find(FieldPath("model/first.weight.requires_grad")), nullptr);
  net_->first->weight.set_requires_grad(true);
  net_->last->weight.set_requires_grad(false);
  set_.restore(saved, "the test");
  EXPECT_FALSE(net_->first->weight.requires_grad());
  EXPECT_TRUE(net_->last->weight.requires_grad());
}

TEST_F(ModuleProbes, WriteIntoTheMemoryThatIsThere) {
  const StateTree saved = now();
  const void* memory = net_->first->weight.data_ptr();
  net_->first->weight.detach().zero_();
  set_.restore(saved, "the test");
  EXPECT_EQ(net_->first->weight.data_ptr(), memory);
  EXPECT_NE(net_->first->weight.abs().sum().item<float>(), 0);
}

TEST_F(ModuleProbes, MakeAndTakeAwayGradients) {
  const StateTree without = now();
  net_->first->weight.mutable_grad() = at::ones({6, 4});
  const StateTree with = now();
  set_.restore(without, "the test");
  EXPECT_FALSE(net_->first->weight.grad().defined());
  set_.restore(with, "the test");
  EXPECT_TRUE(at::equal(net_->first->weight.grad(), at::ones({6, 4})));
}

TEST_F(ModuleProbes, OfAnAverageHaveItsRole) {
  ProbeSet average;
  average.add(module_probe("ema", *net_, Role::average));
  const StateTree tree = average.read();
  ASSERT_NE(tree.find(FieldPath("ema/first.weight")), nullptr);
  EXPECT_EQ(tree.find(FieldPath("ema/first.weight"))->field.role, Role::average);
}

TEST_F(ModuleProbes, OwnNoFieldOfAModuleThatIsNotThere) {
  const auto probe = module_probe("model", *net_);
  EXPECT_TRUE(probe->owns(FieldPath("model/first.weight")));
  EXPECT_TRUE(probe->owns(FieldPath("model/training")));
  EXPECT_FALSE(probe->owns(FieldPath("model/second.weight")));
  EXPECT_FALSE(probe->owns(FieldPath("model.1/first.weight")));
}

}  // namespace
}  // namespace samestep::libtorch
