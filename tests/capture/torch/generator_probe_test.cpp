#include "capture/torch/generator_probe.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capture/probe_set.h"

namespace samestep::libtorch {
namespace {

StateTree saved(const Probe& probe) {
  StateTree tree;
  for (StateEntry& entry : probe.read()) tree.add(std::move(entry));
  return snapshot_of(tree);
}

void put_back(Probe& probe, const StateTree& tree) {
  Change change;
  for (const StateEntry& entry : tree.entries()) {
    ASSERT_EQ(probe.refusal(entry), std::nullopt);
    change.written.push_back(&entry);
  }
  probe.apply(change);
}

TEST(GeneratorProbes, PutBackAlsoTheNormalNumberThatWasDrawnAhead) {
  at::Generator generator = at::detail::createCPUGenerator(5);
  const auto probe = generator_probe("noise", generator);
  at::randn({1}, generator);
  const StateTree tree = saved(*probe);
  const at::Tensor next = at::randn({5}, generator);
  put_back(*probe, tree);
  EXPECT_TRUE(at::equal(at::randn({5}, generator), next));
}

TEST(GeneratorProbes, OwnTheirStreamAlone) {
  const auto own = generator_probe("noise", at::detail::createCPUGenerator(5));
  EXPECT_TRUE(own->owns(FieldPath("rng/generator.noise")));
  EXPECT_FALSE(own->owns(FieldPath("rng/torch.cpu")));
  const auto all = default_generators_probe();
  EXPECT_TRUE(all->owns(FieldPath("rng/torch.cpu")));
  EXPECT_FALSE(all->can_erase(FieldPath("rng/torch.cpu")));
}

TEST(GeneratorProbes, ReadWithoutADraw) {
  const auto probe = default_generators_probe();
  const StateTree tree = saved(*probe);
  const at::Tensor first = at::rand({3});
  put_back(*probe, tree);
  saved(*probe);
  EXPECT_TRUE(at::equal(at::rand({3}), first));
}

TEST(GeneratorProbes, RefuseAStateOfAnotherLength) {
  const auto probe = default_generators_probe();
  StateTree tree = saved(*probe);
  StateEntry entry = tree.entries().front();
  entry.field.shape = {16};
  EXPECT_THAT(*probe->refusal(entry), ::testing::HasSubstr("uint8 [16] there"));
}

}  // namespace
}  // namespace samestep::libtorch
