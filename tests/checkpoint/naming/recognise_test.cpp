#include "checkpoint/naming/recognise.h"

#include <gtest/gtest.h>

#include "tests/checkpoint/naming/sketch.h"

namespace samestep {
namespace {

using sketch::attribute;
using sketch::Sketch;

// The node that one top-level key of a sketch makes.
struct At {
  explicit At(Sketch& sketch)
      : document(sketch.take()), tree(document), node(*tree.files()[0]->children[0]) {}
  Document document;
  KeyTree tree;
  const KeyNode& node;
};

TEST(Recognise, optimizers_in_each_form) {
  Sketch forms[] = {
      Sketch().value({"o", "param_groups", 0, "lr"}, 0.1),
      Sketch().tensor({"o", "state", 0, "exp_avg"}, {3}),
      Sketch().tensor({"o", "state.a.weight.exp_avg"}, {3}),
      Sketch().value({"o", "param_groups.a.weight.lr"}, 0.1),
  };
  for (Sketch& form : forms) EXPECT_TRUE(looks_like_optimizer(At(form).node));
  Sketch others[] = {
      Sketch().integer({"o", "state", "step"}, 1),
      Sketch().integer({"o", "optimizer", "step", "total"}, 1),
      Sketch().tensor({"o", "weight"}, {3}),
  };
  for (Sketch& other : others) EXPECT_FALSE(looks_like_optimizer(At(other).node));
}

TEST(Recognise, slots_need_a_leaf_in_each_state) {
  Sketch slots = Sketch()
                     .integer({"s", "a.weight", "step"}, 1)
                     .tensor({"s", "b.weight", "momentum_buffer"}, {2});
  EXPECT_TRUE(looks_like_slots(At(slots).node));
  Sketch progress = Sketch().integer({"s", "optimizer", "step", "total"}, 1);
  EXPECT_FALSE(looks_like_slots(At(progress).node));
}

TEST(Recognise, schedules_scalers_loaders_and_averages) {
  Sketch schedule = Sketch().integer({"s", "last_epoch"}, 1).integer({"s", "_step_count"}, 2);
  EXPECT_TRUE(looks_like_lr_scheduler(At(schedule).node));
  Sketch chained =
      Sketch().value({"s", "_last_lr", 0}, 0.1).integer({"s", "_schedulers", 0, "last_epoch"}, 2);
  EXPECT_TRUE(looks_like_lr_scheduler(At(chained).node));
  Sketch lone = Sketch().integer({"s", "last_epoch"}, 1);
  EXPECT_FALSE(looks_like_lr_scheduler(At(lone).node));
  Sketch scaler = Sketch().value({"s", "scale"}, 2.0).integer({"s", "_growth_tracker"}, 2);
  EXPECT_TRUE(looks_like_grad_scaler(At(scaler).node));
  Sketch scale = Sketch().value({"s", "scale"}, 2.0);
  EXPECT_FALSE(looks_like_grad_scaler(At(scale).node));
  Sketch loader = Sketch().integer({"s", "_num_yielded"}, 2);
  EXPECT_TRUE(looks_like_loader_state(At(loader).node));
  Sketch average =
      Sketch().tensor({"s", "n_averaged"}, {}, Dtype::int64).tensor({"s", "module.a.weight"}, {2});
  EXPECT_TRUE(looks_like_average(At(average).node));
}

TEST(Recognise, models_flat_nested_and_as_objects) {
  Sketch flat = Sketch()
                    .tensor({"m", "0.weight"}, {2, 2})
                    .tensor({"m", "0.scale"}, {2})
                    .value({"m", "0._extra_state"}, None{});
  At flat_at(flat);
  EXPECT_TRUE(looks_like_model(flat_at.tree, flat_at.node, false));
  Sketch unnamed = Sketch().tensor({"m", "x"}, {2}).tensor({"m", "y"}, {2});
  At unnamed_at(unnamed);
  EXPECT_FALSE(looks_like_model(unnamed_at.tree, unnamed_at.node, false));
  EXPECT_TRUE(looks_like_model(unnamed_at.tree, unnamed_at.node, true));
  Sketch mixed = Sketch().tensor({"m", "a.weight"}, {2}).integer({"m", "step"}, 1);
  At mixed_at(mixed);
  EXPECT_FALSE(looks_like_model(mixed_at.tree, mixed_at.node, false));
  Sketch nested = Sketch().tensor({"m", "a", "weight"}, {2}).tensor({"m", "b", "c", "bias"}, {2});
  At nested_at(nested);
  EXPECT_TRUE(looks_like_nested_model(nested_at.tree, nested_at.node));
  Sketch object = Sketch().tensor({"m", attribute("_parameters"), "weight"}, {2});
  EXPECT_TRUE(looks_like_module_object(At(object).node));
}

TEST(Recognise, loops_are_small_dicts_of_numbers_that_count) {
  Sketch loop = Sketch()
                    .integer({"p", "step"}, 1)
                    .tensor({"p", "epoch"}, {}, Dtype::int64)
                    .value({"p", "best"}, 0.1);
  At loop_at(loop);
  EXPECT_TRUE(looks_like_loop(loop_at.tree, loop_at.node));
  Sketch heavy = Sketch().integer({"p", "step"}, 1).tensor({"p", "deep", "mean"}, {3});
  At heavy_at(heavy);
  EXPECT_FALSE(looks_like_loop(heavy_at.tree, heavy_at.node));
  Sketch other = Sketch().integer({"p", "width"}, 1);
  At other_at(other);
  EXPECT_FALSE(looks_like_loop(other_at.tree, other_at.node));
}

RngShape shape_of(Sketch sketch, bool named = false) {
  At at(sketch);
  return rng_shape(at.tree, at.node, named);
}

TEST(Recognise, random_states_by_shape) {
  EXPECT_EQ(shape_of(Sketch().rng({"r"})), RngShape::torch_cpu);
  EXPECT_EQ(shape_of(Sketch().tensor({"r"}, {16}, Dtype::uint8), true), RngShape::torch_cuda);
  EXPECT_EQ(shape_of(Sketch().tensor({"r"}, {16}, Dtype::uint8)), RngShape::none);
  EXPECT_EQ(shape_of(Sketch().tensor({"r"}, {5056}, Dtype::int8), true), RngShape::none);
  const Numbers numbers{std::vector<std::int64_t>(625)}, fewer{std::vector<std::int64_t>(624)};
  EXPECT_EQ(
      shape_of(Sketch().integer({"r", 0}, 3).value({"r", 1}, numbers).value({"r", 2}, None{})),
      RngShape::python);
  EXPECT_EQ(shape_of(Sketch().integer({"r", 0}, 3).value({"r", 1}, fewer)), RngShape::none);
  EXPECT_EQ(
      shape_of(
          Sketch().value({"r", 0}, std::string("MT19937")).tensor({"r", 1}, {624}, Dtype::uint32)),
      RngShape::numpy);
  EXPECT_EQ(shape_of(Sketch()
                         .value({"r", "bit_generator"}, std::string("PCG64"))
                         .integer({"r", "state", "inc"}, 1)),
            RngShape::numpy_generator);
  EXPECT_EQ(shape_of(Sketch()
                         .value({"r", "bit_generator"}, std::string("MT19937"))
                         .tensor({"r", "state", "key"}, {624}, Dtype::uint32)
                         .integer({"r", "has_gauss"}, 0)),
            RngShape::numpy_dict);
}

}  // namespace
}  // namespace samestep
