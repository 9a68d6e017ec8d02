#include "checkpoint/contracts/presence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checkpoint/contracts/counters.h"
#include "tests/checkpoint/naming/sketch.h"

namespace samestep {
namespace {

using sketch::Sketch;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

ContractFindings check(Sketch& sketch, const std::string& format) {
  const StateTree tree = sketch.named();
  ContractFindings findings;
  check_presence(component_views(tree), framework_of(tree, format), findings);
  return findings;
}

Sketch whole() {
  Sketch sketch;
  sketch.tensor({"model", "a.weight"}, {2, 2}).integer({"step"}, 1);
  sketch.scalar({"optimizer", "state", 0, "step"}, 1)
      .value({"optimizer", "param_groups", 0, "lr"}, 0.1);
  sketch.integer({"lr_scheduler", "last_epoch"}, 1).integer({"loader", "batches"}, 1);
  return sketch;
}

TEST(Presence, a_whole_checkpoint_lacks_only_the_streams_that_it_lacks) {
  Sketch sketch = whole();
  sketch.rng({"rng", "torch"});
  const auto findings = check(sketch, "torch.save zip");
  ASSERT_THAT(findings.absent, SizeIs(2));
  EXPECT_EQ(findings.absent[0].what, "rng/python");
  EXPECT_EQ(findings.absent[1].what, "rng/numpy");
}

TEST(Presence, a_private_generator_is_not_the_process_stream) {
  Sketch sketch = whole();
  sketch.rng({"noise_generator"});
  EXPECT_EQ(check(sketch, "torch.save zip").absent.front().what, "rng/torch.cpu");
}

TEST(Presence, a_framework_speaks_for_itself) {
  Sketch sketch = whole();
  sketch.value({"pytorch-lightning_version"}, std::string("2.6.6"));
  const auto findings = check(sketch, "torch.save zip");
  ASSERT_THAT(findings.absent, SizeIs(1));
  EXPECT_THAT(findings.absent.front().why, HasSubstr("Lightning"));
}

TEST(Presence, a_rank_without_its_stream_is_a_warning) {
  for (const bool both : {true, false}) {
    Sketch sketch;
    sketch.in("zero_pp_rank_0_mp_rank_00_optim_states.pt").tensor({"state", 0, "exp_avg"}, {4});
    sketch.in("zero_pp_rank_1_mp_rank_00_optim_states.pt").tensor({"state", 0, "exp_avg"}, {4});
    sketch.in("rng_state_0.pth").rng({"cpu"});
    if (both) sketch.in("rng_state_1.pth").rng({"cpu"});
    EXPECT_EQ(check(sketch, "folder").warnings.empty(), both);
  }
}

}  // namespace
}  // namespace samestep
