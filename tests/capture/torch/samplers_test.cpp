// Each sampler of libtorch goes on where it was, in this epoch and in the next.
#include <ATen/Context.h>
#include <ATen/core/Generator.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/data/samplers.h>

#include "capture/torch/bundle.h"
#include "tests/support/temporary_folder.h"

namespace samestep::libtorch {
namespace {

namespace samplers = ::torch::data::samplers;

std::vector<std::size_t> indices_of(const std::vector<std::size_t>& batch) { return batch; }
std::vector<std::size_t> indices_of(const samplers::BatchSize& batch) { return {batch.size()}; }

/// What it yields over some epochs, beginning anew at the end of each.
template <typename Sampler>
std::vector<std::size_t> draw(Sampler& sampler, int batches) {
  std::vector<std::size_t> drawn;
  for (int i = 0; i < batches; ++i) {
    if (const auto batch = sampler.next(3)) {
      for (const std::size_t index : indices_of(*batch)) drawn.push_back(index);
      continue;
    }
    if constexpr (requires { sampler.set_epoch(sampler.epoch() + 1); })
      sampler.set_epoch(sampler.epoch() + 1);
    sampler.reset();
  }
  return drawn;
}

template <typename Make>
void goes_on(const Make& make) {
  const TemporaryFolder folder;
  auto source = make();
  source.reset();
  draw(source, 2);
  Probes probes, others;
  probes.watch("order", source);
  save(folder / "state.samestep", probes);
  const auto expected = draw(source, 9);
  auto target = make();
  target.reset();
  others.watch("order", target);
  restore(folder / "state.samestep", others);
  EXPECT_EQ(draw(target, 9), expected);
}

TEST(Samplers, AtRandomGoOn) {
  goes_on([] { return samplers::RandomSampler(10); });
}
TEST(Samplers, InOrderGoOn) {
  goes_on([] { return samplers::SequentialSampler(10); });
}
TEST(Samplers, OfAStreamGoOn) {
  goes_on([] { return samplers::StreamSampler(10); });
}
TEST(Samplers, DistributedAtRandomGoOn) {
  goes_on([] { return samplers::DistributedRandomSampler(20, 2, 1); });
}
TEST(Samplers, DistributedInOrderGoOn) {
  goes_on([] { return samplers::DistributedSequentialSampler(20, 2, 1); });
}

}  // namespace
}  // namespace samestep::libtorch
