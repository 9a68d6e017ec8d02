#include "checkpoint/naming/optimizer_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/checkpoint/naming/sketch.h"

namespace samestep {
namespace {

using sketch::Keys;
using sketch::Sketch;

std::vector<std::string> paths(const StateTree& tree) {
  std::vector<std::string> texts;
  for (const StateEntry& entry : tree.entries()) texts.push_back(entry.field.path.text());
  return texts;
}

const Field& last(const StateTree& tree) { return tree.entries().back().field; }

TEST(OptimizerNames, param_names_in_the_groups_are_believed) {
  const StateTree tree =
      Sketch()
          .value({"o", "param_groups", 0, "lr"}, 0.1)
          .integer({"o", "param_groups", 0, "params", 0}, 0)
          .value({"o", "param_groups", 0, "param_names", 0}, std::string("_orig_mod.head.weight"))
          .tensor({"o", "state", 0, "exp_avg"}, {3})
          .named();
  EXPECT_EQ(last(tree).path.text(), "optimizer/state/head.weight/exp_avg");
  EXPECT_EQ(last(tree).traits.at("named_by"), "param_names");
  EXPECT_EQ(last(tree).traits.at("place"), "optimizer/state/0/exp_avg");
  EXPECT_EQ(tree.entries()[1].field.traits.at("declared"), "order");
}

TEST(OptimizerNames, names_in_the_keys_are_kept_and_have_their_place_by_the_list) {
  const StateTree tree = Sketch()
                             .value({"o", "param_groups", 0, "params", 0}, std::string("a.weight"))
                             .value({"o", "param_groups", 0, "params", 1}, std::string("b.weight"))
                             .tensor({"o", "state", "b.weight", "exp_avg"}, {3})
                             .named();
  EXPECT_EQ(last(tree).path.text(), "optimizer/state/b.weight/exp_avg");
  EXPECT_EQ(last(tree).traits.at("named_by"), "keys");
  EXPECT_EQ(last(tree).traits.at("place"), "optimizer/state/1/exp_avg");
}

TEST(OptimizerNames, flattened_keys_of_either_order) {
  EXPECT_THAT(paths(Sketch()
                        .tensor({"optimizer", "state.layers.0.weight.exp_avg"}, {3})
                        .value({"optimizer", "param_groups.layers.0.weight.lr"}, 0.1)
                        .named()),
              testing::ElementsAre("optimizer/state/layers.0.weight/exp_avg",
                                   "optimizer/param_groups/layers.0.weight/lr"));
  EXPECT_THAT(
      paths(Sketch()
                .tensor({"optimizer.state.exp_avg.layers.0.weight"}, {3})
                .tensor({"model.layers.0.weight"}, {3})
                .named()),
      testing::ElementsAre("optimizer/state/layers.0.weight/exp_avg", "model/layers.0.weight"));
}

TEST(OptimizerNames, addresses_of_libtorch_become_positions) {
  const StateTree tree =
      Sketch()
          .tensor({"state", "94733265277600", "exp_avg"}, {3})
          .tensor({"state", "94733265277111", "exp_avg"}, {2})
          .value({"param_groups", "param_groups/0", "params/0"}, std::string("94733265277111"))
          .value({"param_groups", "param_groups/0", "params/1"}, std::string("94733265277600"))
          .value({"param_groups", "param_groups/0", "options", "lr"}, 0.1)
          .named();
  EXPECT_THAT(paths(tree), testing::ElementsAre(
                               "optimizer/state/1/exp_avg", "optimizer/state/0/exp_avg",
                               "optimizer/param_groups/0/params/0",
                               "optimizer/param_groups/0/params/1", "optimizer/param_groups/0/lr"));
}

TEST(OptimizerNames, a_long_list_of_parameters_is_one_packed_leaf) {
  Sketch sketch;
  std::vector<std::int64_t> ids;
  for (int i = 0; i < 80; ++i) {
    ids.push_back(i);
    sketch.tensor({"model", "p" + std::to_string(i) + ".weight"}, {i + 1});
    sketch.tensor({"o", "state", i, "exp_avg"}, {i + 1});
  }
  sketch.value({"o", "param_groups", 0, "params"}, Numbers{ids});
  const StateTree tree = sketch.named();
  EXPECT_NE(tree.find(FieldPath("optimizer/state/p79.weight/exp_avg")), nullptr);
}

TEST(OptimizerNames, factored_slots_tell_the_shape_of_their_parameter) {
  const StateTree tree = Sketch()
                             .tensor({"model", "a.weight"}, {4, 3})
                             .tensor({"model", "b.weight"}, {3, 4})
                             .tensor({"o", "state", 0, "row_var"}, {4, 1})
                             .tensor({"o", "state", 0, "col_var"}, {1, 3})
                             .tensor({"o", "state", 1, "exp_avg_sq_row"}, {3})
                             .tensor({"o", "state", 1, "exp_avg_sq_col"}, {4})
                             .integer({"o", "param_groups", 0, "params", 0}, 0)
                             .integer({"o", "param_groups", 0, "params", 1}, 1)
                             .named();
  EXPECT_NE(tree.find(FieldPath("optimizer/state/a.weight/row_var")), nullptr);
  EXPECT_NE(tree.find(FieldPath("optimizer/state/b.weight/exp_avg_sq_row")), nullptr);
}

TEST(OptimizerNames, what_is_neither_state_nor_group_keeps_its_keys) {
  const StateTree tree = Sketch()
                             .tensor({"optimizer_state_dict", "fp32_flat_groups", 0}, {9})
                             .value({"optimizer_state_dict", "overflow"}, false)
                             .tensor({"optimizer_state_dict", "base", "state", 0, "exp_avg"}, {9})
                             .named();
  EXPECT_THAT(paths(tree), testing::ElementsAre("optimizer/fp32_flat_groups/0",
                                                "optimizer/overflow", "optimizer/state/0/exp_avg"));
  EXPECT_EQ(tree.entries()[0].field.role, Role::parameter);
}

}  // namespace
}  // namespace samestep
