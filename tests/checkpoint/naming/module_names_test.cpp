#include "checkpoint/naming/module_names.h"

#include <gtest/gtest.h>

#include "tests/checkpoint/naming/sketch.h"

namespace samestep {
namespace {

std::vector<std::vector<std::string>> names_of(std::vector<std::vector<std::string>> parts,
                                               bool object = false, bool nested = false) {
  ClaimedComponent component;
  component.kind = ComponentKind::model;
  component.module_object = object;
  component.nested = nested;
  for (auto& of_leaf : parts)
    component.leaves.push_back({0, nullptr, std::move(of_leaf), std::nullopt});
  return module_names(component);
}

using Names = std::vector<std::vector<std::string>>;

TEST(ModuleNames, wrappers_fold_wherever_they_are) {
  EXPECT_EQ(fold_wrappers("_orig_mod.a.weight"), "a.weight");
  EXPECT_EQ(fold_wrappers("layers.0._fsdp_wrapped_module.w"), "layers.0.w");
  EXPECT_EQ(fold_wrappers("_forward_module._orig_mod._checkpoint_wrapped_module.w"), "w");
  EXPECT_EQ(fold_wrappers("my_orig_mod.w"), "my_orig_mod.w");
  EXPECT_EQ(fold_wrappers("a.weight"), "a.weight");
}

TEST(ModuleNames, a_parallel_prefix_folds_when_all_have_it) {
  EXPECT_EQ(names_of({{"module.a.weight"}, {"module._orig_mod.b"}}), (Names{{"a.weight"}, {"b"}}));
  EXPECT_EQ(names_of({{"_orig_mod.module.a.weight"}}), (Names{{"a.weight"}}));
  EXPECT_EQ(names_of({{"module.a.weight"}, {"head.weight"}}),
            (Names{{"module.a.weight"}, {"head.weight"}}));
}

TEST(ModuleNames, objects_and_nested_dicts_have_their_state_dict_names) {
  EXPECT_EQ(names_of({{"_modules", "a", "_modules", "b", "_parameters", "weight"},
                      {"_modules", "a", "_buffers", "mean"},
                      {"_modules", "a", "training"},
                      {"training"}},
                     true),
            (Names{{"a.b.weight"}, {"a.mean"}, {"a.training"}, {"training"}}));
  EXPECT_EQ(names_of({{"a", "weight"}, {"buf"}}, false, true), (Names{{"a.weight"}, {"buf"}}));
  EXPECT_EQ(names_of({{"a._extra_state", "scale"}}), (Names{{"a._extra_state", "scale"}}));
}

std::vector<std::string> average_paths(sketch::Sketch& sketch) {
  std::vector<std::string> texts;
  const StateTree tree = sketch.named();
  for (const StateEntry& entry : tree.entries()) texts.push_back(entry.field.path.text());
  return texts;
}

TEST(ModuleNames, averages_have_the_names_of_what_they_average) {
  using Texts = std::vector<std::string>;
  sketch::Sketch averaged, held, listed, two;
  averaged.tensor({"ema", "module.a.weight"}, {2}).integer({"ema", "n_averaged"}, 1);
  EXPECT_EQ(average_paths(averaged), (Texts{"ema/a.weight", "ema/n_averaged"}));
  held.tensor({"ema", "shadow", "a.weight"}, {2}).value({"ema", "decay"}, 0.9);
  EXPECT_EQ(average_paths(held), (Texts{"ema/a.weight", "ema/decay"}));
  listed.tensor({"ema", "shadow_params", 0}, {2}).integer({"ema", "optimization_step"}, 1);
  EXPECT_EQ(average_paths(listed), (Texts{"ema/shadow_params/0", "ema/optimization_step"}));
  two.tensor({"ema", "model", "a.weight"}, {2}).tensor({"ema", "net", "a.weight"}, {2});
  EXPECT_EQ(average_paths(two), (Texts{"ema/a.weight", "ema/net/a.weight"}));
}

TEST(ModuleNames, roles) {
  Leaf tensor;
  tensor.kind = FieldKind::tensor;
  tensor.dtype = Dtype::float32;
  EXPECT_EQ(module_role("a.weight", tensor), Role::parameter);
  EXPECT_EQ(module_role("bn.running_mean", tensor), Role::buffer);
  tensor.dtype = Dtype::int64;
  EXPECT_EQ(module_role("ids", tensor), Role::buffer);
  EXPECT_EQ(module_role("training", Leaf{}), Role::other);
}

}  // namespace
}  // namespace samestep
