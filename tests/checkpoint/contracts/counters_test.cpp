#include "checkpoint/contracts/counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/checkpoint/naming/sketch.h"

namespace samestep {
namespace {

using sketch::Keys;
using sketch::Sketch;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

ContractFindings check(Sketch& sketch, const std::string& format) {
  return check_contracts(sketch.named(), format);
}

Sketch hf(std::int64_t global_step, float optimizer, std::int64_t schedule) {
  Sketch sketch;
  sketch.in("trainer_state.json").integer({"global_step"}, global_step);
  sketch.in("optimizer.pt")
      .scalar({"state", 0, "step"}, optimizer)
      .tensor({"state", 0, "exp_avg"}, {3});
  sketch.in("scheduler.pt")
      .integer({"last_epoch"}, schedule)
      .integer({"_step_count"}, schedule + 1);
  return sketch;
}

Sketch lightning(std::int64_t global_step, std::int64_t completed, std::int64_t manual,
                 float optimizer) {
  const std::string loop = "epoch_loop.automatic_optimization.optim_progress";
  Sketch sketch;
  sketch.integer({"global_step"}, global_step)
      .value({"pytorch-lightning_version"}, std::string("2.6.6"));
  sketch.integer({"loops", "fit_loop", loop, "optimizer", "step", "total", "completed"}, completed);
  sketch.integer({"loops", "fit_loop", "epoch_loop.manual_optimization.optim_step_progress",
                  "total", "completed"},
                 manual);
  sketch.integer({"loops", "fit_loop", "epoch_loop.batch_progress", "current", "completed"},
                 global_step - 1);
  sketch.scalar({"optimizer_states", 0, "state", 0, "step"}, optimizer);
  sketch.tensor({"optimizer_states", 0, "state", 0, "exp_avg"}, {3});
  return sketch;
}

Sketch megatron(std::int64_t iteration, std::int64_t step) {
  Sketch sketch;
  sketch.in("iter_0000005/common.pt").integer({"iteration"}, iteration);
  sketch.integer({"optimizer", "state", "a.weight", "step"}, step);
  sketch.integer({"optimizer", "param_groups", 0, "lr"}, 0);
  return sketch;
}

Sketch deepspeed(std::int64_t global_steps, std::int64_t skipped, float step) {
  Sketch sketch;
  sketch.in("mp_rank_00_model_states.pt")
      .integer({"global_steps"}, global_steps)
      .integer({"skipped_steps"}, skipped);
  sketch.tensor({"module", "a.weight"}, {3, 3});
  sketch.in("zero_pp_rank_0_mp_rank_00_optim_states.pt")
      .scalar({"optimizer_state_dict", "base_optimizer_state", "state", 0, "step"}, step);
  sketch.tensor({"optimizer_state_dict", "base_optimizer_state", "state", 0, "exp_avg"}, {9});
  return sketch;
}

TEST(Counters, agreeing_frameworks_are_consistent) {
  Sketch trainer = hf(5, 5, 5), automatic = lightning(5, 5, 0, 5), manual = lightning(5, 0, 5, 5),
         iteration = megatron(5, 5), skipped = deepspeed(7, 2, 5);
  EXPECT_THAT(check(trainer, "HF Trainer folder").problems, IsEmpty());
  EXPECT_THAT(check(automatic, "torch.save zip").problems, IsEmpty());
  EXPECT_THAT(check(manual, "torch.save zip").problems, IsEmpty());
  EXPECT_THAT(check(iteration, "Megatron torch_dist").problems, IsEmpty());
  EXPECT_THAT(check(skipped, "DeepSpeed folder").problems, IsEmpty());
}

TEST(Counters, each_counter_that_is_off_is_one_problem) {
  struct Case {
    Sketch sketch;
    const char* format;
    const char* message;
  };
  Case cases[] = {
      {hf(5, 3, 5), "HF Trainer folder", "loop/global_step = 5, but optimizer/state/*/step = 3"},
      {hf(5, 5, 4), "HF Trainer folder", "loop/global_step = 5, but lr_scheduler/last_epoch = 4"},
      {lightning(5, 4, 0, 5), "torch.save zip", "loop/global_step = 5, but loop/fit_loop"},
      {lightning(5, 5, 0, 4), "torch.save zip", "optimizer/state/*/step = 4"},
      {megatron(5, 6), "Megatron torch_dist", "loop/iteration = 5, but optimizer/state/*/step = 6"},
      {deepspeed(7, 1, 5), "DeepSpeed folder",
       "loop/global_steps = 7 less loop/skipped_steps = 1, but"},
  };
  for (Case& at : cases) {
    const auto findings = check(at.sketch, at.format);
    ASSERT_THAT(findings.problems, SizeIs(1)) << at.message;
    EXPECT_EQ(findings.problems.front().kind, Problem::Kind::inconsistent);
    EXPECT_THAT(findings.problems.front().message, HasSubstr(at.message));
  }
}

TEST(Counters, a_framework_is_known_by_a_field_wherever_the_file_lies) {
  Sketch sketch = lightning(9, 5, 0, 5);
  sketch.in("notes.json").integer({"a"}, 1);
  EXPECT_THAT(check(sketch, "folder").problems, SizeIs(2));
}

TEST(Counters, a_scaler_may_have_skipped_steps_and_two_optimizers_add_up) {
  Sketch scaled = hf(5, 4, 4);
  scaled.in("scaler.pt").value({"scale"}, 8.0).integer({"_growth_tracker"}, 1);
  EXPECT_THAT(check(scaled, "HF Trainer folder").problems, IsEmpty());
  Sketch two = lightning(6, 0, 6, 3);
  two.scalar({"optimizer_states", 1, "state", 0, "step"}, 3)
      .tensor({"optimizer_states", 1, "state", 0, "exp_avg"}, {3});
  EXPECT_THAT(check(two, "torch.save zip").problems, IsEmpty());
}

Sketch plain(std::int64_t step, float first, float second) {
  Sketch sketch;
  sketch.integer({"step"}, step);
  sketch.scalar({"optimizer", "state", 0, "step"}, first)
      .scalar({"optimizer", "state", 1, "step"}, second);
  return sketch;
}

TEST(Counters, a_loop_of_no_known_framework_gets_warnings_only) {
  Sketch agreeing = plain(5, 5, 5), torn = plain(4, 5, 5), micro = plain(20, 5, 5),
         uneven = plain(5, 5, 3);
  EXPECT_THAT(check(agreeing, "torch.save zip").warnings, IsEmpty());
  EXPECT_THAT(check(micro, "torch.save zip").warnings, IsEmpty());
  const auto near = check(torn, "torch.save zip");
  EXPECT_THAT(near.problems, IsEmpty());
  ASSERT_THAT(near.warnings, SizeIs(1));
  EXPECT_THAT(near.warnings.front(), HasSubstr("loop/step = 4, optimizer/state/*/step = 5"));
  const auto differing = check(uneven, "torch.save zip");
  ASSERT_FALSE(differing.warnings.empty());
  EXPECT_THAT(differing.warnings.back(), HasSubstr("optimizer/state/1/step = 3"));
}

TEST(Counters, ranks_whose_loaders_stand_at_different_batches_contradict) {
  for (const int second : {5, 4}) {
    Sketch sketch;
    sketch.tensor({"model", "a.weight"}, {2, 2});
    sketch.integer({"dataloader", "dl_0", "_snapshot", "_snapshot_step"}, 4)
        .integer({"dataloader", "dl_0", "_steps_since_snapshot"}, 1);
    sketch.integer({"dataloader", "dl_1", "_snapshot", "_snapshot_step"}, second)
        .integer({"dataloader", "dl_1", "_steps_since_snapshot"}, 0);
    const auto findings = check(sketch, "DCP");
    ASSERT_EQ(findings.problems.size(), second == 5 ? 0u : 1u);
    if (second == 4) {
      EXPECT_THAT(findings.problems.front().message,
                  HasSubstr("rank 1 has given out 4 batches, rank 0 5"));
    }
  }
}

}  // namespace
}  // namespace samestep
