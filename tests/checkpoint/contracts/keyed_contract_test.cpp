#include "checkpoint/contracts/keyed_contract.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/checkpoint/naming/sketch.h"

namespace samestep {
namespace {

using sketch::Sketch;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

ContractFindings keys_of(Sketch& sketch) {
  const StateTree tree = sketch.named();
  ContractFindings findings;
  check_keys(component_views(tree).front(), findings);
  return findings;
}

Sketch schedule(const std::vector<std::string>& keys) {
  Sketch sketch;
  for (const std::string& key : keys) sketch.integer({"lr_scheduler", key}, 1);
  return sketch;
}

TEST(KeyedContract, each_torch_schedule_is_known_by_its_keys) {
  const std::vector<std::pair<const char*, std::vector<std::string>>> kinds{
      {"StepLR", {"step_size", "gamma", "base_lrs", "last_epoch", "_step_count"}},
      {"ExponentialLR", {"gamma", "base_lrs", "last_epoch", "_step_count"}},
      {"CosineAnnealingLR", {"T_max", "eta_min", "base_lrs", "last_epoch", "_step_count"}},
      {"CosineAnnealingWarmRestarts",
       {"T_0", "T_i", "T_mult", "eta_min", "T_cur", "base_lrs", "last_epoch", "_step_count"}},
      {"OneCycleLR", {"total_steps", "_schedule_phases", "base_lrs", "last_epoch", "_step_count"}},
      {"CyclicLR",
       {"max_lrs", "total_size", "step_ratio", "base_lrs", "last_epoch", "_step_count"}},
      {"LinearLR",
       {"start_factor", "end_factor", "total_iters", "base_lrs", "last_epoch", "_step_count"}},
      {"ConstantLR", {"factor", "total_iters", "base_lrs", "last_epoch", "_step_count"}},
      {"PolynomialLR", {"total_iters", "power", "base_lrs", "last_epoch", "_step_count"}},
      {"MultiStepLR", {"milestones", "gamma", "base_lrs", "last_epoch", "_step_count"}},
      {"LambdaLR or MultiplicativeLR", {"lr_lambdas", "base_lrs", "last_epoch", "_step_count"}},
      {"SWALR", {"anneal_epochs", "base_lrs", "last_epoch", "_step_count"}},
      {"SequentialLR", {"_milestones", "_schedulers", "last_epoch", "_last_lr"}},
      {"ChainedScheduler", {"_schedulers", "_last_lr"}},
      {"ReduceLROnPlateau",
       {"factor", "patience", "threshold", "best", "num_bad_epochs", "cooldown_counter",
        "last_epoch"}},
  };
  for (const auto& [name, keys] : kinds) {
    Sketch sketch = schedule(keys);
    const auto findings = keys_of(sketch);
    ASSERT_THAT(findings.notes, SizeIs(1)) << name;
    EXPECT_EQ(findings.notes.front(), std::string("lr_scheduler is ") + name);
    EXPECT_THAT(findings.absent, IsEmpty()) << name;
  }
}

TEST(KeyedContract, a_key_that_the_schedule_cannot_do_without_is_absent_with_its_reason) {
  Sketch sketch = schedule(
      {"factor", "patience", "threshold", "best", "cooldown_counter", "last_epoch", "_last_lr"});
  const auto findings = keys_of(sketch);
  ASSERT_THAT(findings.absent, SizeIs(1));
  EXPECT_EQ(findings.absent.front().what, "lr_scheduler/num_bad_epochs");
  EXPECT_THAT(findings.absent.front().why, HasSubstr("patience"));
}

TEST(KeyedContract, a_scaler_that_saved_its_scale_alone_lacks_the_tracker) {
  Sketch sketch;
  sketch.value({"scaler", "scale"}, 8.0)
      .value({"scaler", "growth_factor"}, 2.0)
      .value({"scaler", "backoff_factor"}, 0.5);
  sketch.integer({"scaler", "growth_interval"}, 4);
  const auto findings = keys_of(sketch);
  ASSERT_THAT(findings.absent, SizeIs(1));
  EXPECT_EQ(findings.absent.front().what, "grad_scaler/_growth_tracker");
}

ContractFindings schedule_findings(double held, bool second_schedule) {
  Sketch sketch;
  sketch.value({"optimizer", "param_groups", 0, "lr"}, held);
  sketch.value({"lr_scheduler", "_last_lr", 0}, 0.5).integer({"lr_scheduler", "last_epoch"}, 1);
  if (second_schedule)
    sketch.value({"warmup", "_last_lr", 0}, 0.5).integer({"warmup", "last_epoch"}, 1);
  const StateTree tree = sketch.named();
  const auto views = component_views(tree);
  ContractFindings findings;
  check_schedule(views[1], views, findings);
  return findings;
}

TEST(KeyedContract,
     a_rate_that_the_schedule_did_not_set_is_a_warning_where_it_is_sure_whose_it_is) {
  EXPECT_THAT(schedule_findings(0.5, false).warnings, IsEmpty());
  EXPECT_THAT(schedule_findings(0.25, true).warnings, IsEmpty());
  const auto findings = schedule_findings(0.25, false);
  ASSERT_THAT(findings.warnings, SizeIs(1));
  EXPECT_THAT(findings.warnings.front(),
              HasSubstr("optimizer/param_groups/0/lr is 0.25, lr_scheduler/_last_lr/0 0.5"));
}

TEST(KeyedContract, a_schedule_that_is_a_function_says_so) {
  Sketch sketch = schedule({"base_lrs", "last_epoch"});
  sketch.value({"lr_scheduler", "lr_lambdas", 0}, None{});
  const StateTree tree = sketch.named();
  const auto views = component_views(tree);
  ContractFindings findings;
  check_schedule(views.front(), views, findings);
  ASSERT_THAT(findings.absent, SizeIs(1));
  EXPECT_EQ(findings.absent.front().what, "lr_scheduler/lr_lambdas");
}

TEST(KeyedContract, an_average_needs_its_counter) {
  for (const bool counted : {true, false}) {
    Sketch sketch;
    sketch.tensor({"ema", "module.a.weight"}, {2, 2}).tensor({"ema", "module.a.bias"}, {2});
    if (counted) sketch.integer({"ema", "n_averaged"}, 3);
    const StateTree tree = sketch.named();
    ContractFindings findings;
    check_average(component_views(tree).front(), findings);
    EXPECT_EQ(findings.absent.empty(), counted);
  }
}

TEST(KeyedContract, a_loader_without_sampler_state_or_with_workers_lacks_their_streams) {
  Sketch sketch;
  sketch.value({"dl", "_snapshot", "_main_snapshot", "_sampler_iter_state"}, None{});
  sketch.integer({"dl", "_snapshot", "_main_snapshot", "_sampler_iter_yielded"}, 5);
  sketch.integer({"dl", "_snapshot", "_main_snapshot", "_num_workers"}, 2);
  const StateTree tree = sketch.named();
  ContractFindings findings;
  check_loader(component_views(tree).front(), findings);
  ASSERT_THAT(findings.absent, SizeIs(2));
  EXPECT_EQ(findings.absent[0].what, "the sampler's random state");
}

}  // namespace
}  // namespace samestep
