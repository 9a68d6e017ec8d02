#include "checkpoint/contracts/optimizer_contract.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/checkpoint/naming/sketch.h"

namespace samestep {
namespace {

using sketch::Sketch;
using testing::Ge;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// A group's keys with 0 for each, and the parameters 0 and 1.
Sketch group_of(const std::vector<std::string>& keys, const std::string& set = {}) {
  Sketch sketch;
  for (const std::string& key : keys) {
    key == set ? sketch.value({"o", "param_groups", 0, key}, true)
               : sketch.integer({"o", "param_groups", 0, key}, 0);
  }
  sketch.integer({"o", "param_groups", 0, "params", 0}, 0)
      .integer({"o", "param_groups", 0, "params", 1}, 1);
  return sketch;
}

Sketch& slots(Sketch& sketch, int parameter, const std::vector<std::string>& names) {
  for (const std::string& name : names) sketch.tensor({"o", "state", parameter, name}, {3});
  return sketch;
}

ContractFindings check(Sketch& sketch) {
  const StateTree tree = sketch.named();
  ContractFindings findings;
  check_optimizer(component_views(tree).front(), findings);
  return findings;
}

struct Kind {
  const char* name;
  std::vector<std::string> keys;  // of its group, as torch 2.13 writes them
  std::string set;
  std::vector<std::string> slots;
};

const std::vector<Kind> kKinds{
    {"AdamW",
     {"lr", "betas", "eps", "weight_decay", "amsgrad", "maximize", "foreach", "capturable",
      "differentiable", "fused", "decoupled_weight_decay"},
     "decoupled_weight_decay",
     {"step", "exp_avg", "exp_avg_sq"}},
    {"Adam",
     {"lr", "betas", "eps", "weight_decay", "amsgrad", "maximize", "foreach", "capturable",
      "differentiable", "fused", "decoupled_weight_decay"},
     "",
     {"step", "exp_avg", "exp_avg_sq"}},
    {"Adam",
     {"lr", "betas", "eps", "weight_decay", "amsgrad"},
     "amsgrad",
     {"step", "exp_avg", "exp_avg_sq", "max_exp_avg_sq"}},
    {"NAdam",
     {"lr", "betas", "eps", "weight_decay", "momentum_decay", "decoupled_weight_decay", "maximize",
      "foreach", "capturable", "differentiable"},
     "",
     {"step", "mu_product", "exp_avg", "exp_avg_sq"}},
    {"RAdam",
     {"lr", "betas", "eps", "weight_decay", "maximize", "foreach", "capturable",
      "decoupled_weight_decay", "differentiable"},
     "",
     {"step", "exp_avg", "exp_avg_sq"}},
    {"Adamax",
     {"lr", "betas", "eps", "weight_decay", "foreach", "maximize", "differentiable", "capturable"},
     "",
     {"step", "exp_avg", "exp_inf"}},
    {"SparseAdam", {"lr", "betas", "eps", "maximize"}, "", {"step", "exp_avg", "exp_avg_sq"}},
    {"Muon",
     {"lr", "weight_decay", "momentum", "nesterov", "ns_coefficients", "eps", "ns_steps",
      "adjust_lr_fn"},
     "",
     {"momentum_buffer"}},
    {"SGD",
     {"lr", "momentum", "dampening", "weight_decay", "nesterov", "maximize", "foreach",
      "differentiable", "fused"},
     "momentum",
     {"momentum_buffer"}},
    {"RMSprop",
     {"lr", "momentum", "alpha", "eps", "centered", "weight_decay", "capturable", "foreach"},
     "centered",
     {"step", "square_avg", "grad_avg"}},
    {"Adagrad",
     {"lr", "lr_decay", "eps", "weight_decay", "initial_accumulator_value", "foreach"},
     "",
     {"step", "sum"}},
    {"Adadelta",
     {"lr", "rho", "eps", "weight_decay", "maximize"},
     "",
     {"step", "square_avg", "acc_delta"}},
    {"ASGD",
     {"lr", "lambd", "alpha", "t0", "weight_decay", "foreach"},
     "",
     {"step", "eta", "mu", "ax"}},
    {"Rprop", {"lr", "etas", "step_sizes", "foreach"}, "", {"step", "prev", "step_size"}},
    {"Adafactor (torch)",
     {"lr", "beta2_decay", "eps", "d", "weight_decay"},
     "",
     {"step", "row_var", "col_var"}},
    {"Adafactor (torch)",
     {"lr", "beta2_decay", "eps", "d", "weight_decay"},
     "",
     {"step", "variance"}},
    {"LBFGS",
     {"lr", "max_iter", "max_eval", "tolerance_grad", "tolerance_change", "history_size",
      "line_search_fn"},
     "",
     {"func_evals", "n_iter", "d"}},
};

TEST(OptimizerContract, each_torch_optimizer_is_known_and_whole) {
  for (const Kind& kind : kKinds) {
    Sketch sketch = group_of(kind.keys, kind.set);
    slots(sketch, 0, kind.slots);
    slots(sketch, 1, kind.slots);
    const auto findings = check(sketch);
    ASSERT_THAT(findings.notes, SizeIs(Ge(1))) << kind.name;
    EXPECT_THAT(findings.notes.front(),
                HasSubstr(std::string(" is ") + kind.name + ": 1 group, 2 states"));
    EXPECT_THAT(findings.warnings, IsEmpty()) << kind.name;
    EXPECT_THAT(findings.absent, IsEmpty()) << kind.name;
  }
}

TEST(OptimizerContract, each_slot_left_out_is_missed) {
  for (const Kind& kind : kKinds) {
    for (std::size_t left_out = 0; left_out < kind.slots.size(); ++left_out) {
      if (kind.slots.size() == 1 || kind.slots[left_out] == "d") continue;
      std::vector<std::string> rest = kind.slots;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(left_out));
      Sketch sketch = group_of(kind.keys, kind.set);
      slots(sketch, 0, kind.slots);
      slots(sketch, 1, rest);
      const auto findings = check(sketch);
      ASSERT_THAT(findings.warnings, SizeIs(1)) << kind.name << " without " << kind.slots[left_out];
      EXPECT_THAT(findings.warnings.front(), HasSubstr("1 of 2 parameters (1)")) << kind.name;
    }
  }
}

TEST(OptimizerContract, sgd_without_momentum_keeps_nothing) {
  Sketch sketch = group_of({"lr", "momentum", "dampening", "weight_decay", "nesterov"});
  const auto findings = check(sketch);
  EXPECT_THAT(findings.absent, IsEmpty());
  EXPECT_THAT(findings.warnings, IsEmpty());
}

TEST(OptimizerContract, groups_without_state_say_so) {
  Sketch sketch = group_of({"lr", "betas", "amsgrad"});
  const auto findings = check(sketch);
  ASSERT_THAT(findings.absent, SizeIs(1));
  EXPECT_EQ(findings.absent.front().what, "optimizer/state");
}

TEST(OptimizerContract, a_parameter_without_state_is_a_warning) {
  Sketch sketch = group_of({"lr", "betas", "amsgrad"});
  slots(sketch, 0, {"step", "exp_avg", "exp_avg_sq"});
  const auto findings = check(sketch);
  ASSERT_THAT(findings.warnings, SizeIs(1));
  EXPECT_THAT(findings.warnings.front(), HasSubstr("1 of 2 parameters"));
}

TEST(OptimizerContract, a_group_decides_for_its_own_parameters) {
  Sketch sketch;
  sketch.value({"o", "param_groups", 0, "betas"}, 0.9)
      .value({"o", "param_groups", 0, "amsgrad"}, true);
  sketch.integer({"o", "param_groups", 0, "params", 0}, 0);
  sketch.value({"o", "param_groups", 1, "betas"}, 0.9)
      .value({"o", "param_groups", 1, "amsgrad"}, false);
  sketch.integer({"o", "param_groups", 1, "params", 0}, 1);
  slots(sketch, 0, {"step", "exp_avg", "exp_avg_sq", "max_exp_avg_sq"});
  slots(sketch, 1, {"step", "exp_avg", "exp_avg_sq"});
  EXPECT_THAT(check(sketch).warnings, IsEmpty());
}

TEST(OptimizerContract, states_by_index_and_parameters_that_are_left_out_have_a_reason) {
  Sketch sketch = group_of(kKinds[0].keys, kKinds[0].set);
  for (const int parameter : {0, 1}) slots(sketch, parameter, kKinds[0].slots);
  sketch.tensor({"model", "a.weight"}, {3}).tensor({"model", "b.weight"}, {3});
  sketch.tensor({"model", "c.weight"}, {3});
  const StateTree tree = sketch.named();
  ContractFindings findings;
  for (const ComponentView& view : component_views(tree))
    if (view.kind == "optimizer") check_optimizer(view, findings);
  EXPECT_THAT(findings.notes, testing::Contains(HasSubstr(
                                  "2 states of 2 by index, not by the parameter's name: several "
                                  "orders of the parameters fit their shapes")));
  EXPECT_THAT(findings.warnings,
              testing::ElementsAre(HasSubstr("2 of 3 parameters of the model: ")));
}

TEST(OptimizerContract, optimizers_that_share_a_model_are_not_warned_of) {
  Sketch sketch;
  for (const char* name : {"first", "second"})
    sketch.tensor({name, "state", 0, "exp_avg"}, {3})
        .value({name, "param_groups", 0, "betas"}, 0.9)
        .value({name, "param_groups", 0, "amsgrad"}, false)
        .integer({name, "param_groups", 0, "params", 0}, 0);
  sketch.tensor({"model", "a.weight"}, {3}).tensor({"model", "b.weight"}, {3});
  const StateTree tree = sketch.named();
  ContractFindings findings;
  for (const ComponentView& view : component_views(tree))
    if (view.kind == "optimizer") check_optimizer(view, findings);
  EXPECT_THAT(findings.warnings,
              testing::Not(testing::Contains(HasSubstr("parameters of the model"))));
  EXPECT_THAT(findings.notes, testing::Contains(HasSubstr("optimizer.1 is Adam")));
}

TEST(OptimizerContract, an_optimizer_of_no_known_kind_is_left_alone) {
  Sketch sketch = group_of({"lr", "trust"});
  slots(sketch, 0, {"exp_avg"});
  const auto findings = check(sketch);
  EXPECT_THAT(findings.notes, IsEmpty());
  EXPECT_THAT(findings.warnings, IsEmpty());
}

}  // namespace
}  // namespace samestep
