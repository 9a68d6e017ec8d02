#include "checkpoint/naming/step.h"

#include <gtest/gtest.h>

#include "tests/checkpoint/naming/sketch.h"

namespace samestep {
namespace {

using sketch::Keys;
using sketch::Sketch;

Sketch with_optimizer(const std::vector<float>& steps) {
  Sketch sketch;
  for (int i = 0; i < static_cast<int>(steps.size()); ++i) {
    sketch.scalar({"optimizer", "state", i, "step"}, steps[static_cast<std::size_t>(i)]);
  }
  return sketch;
}

TEST(Step, of_the_loop_with_its_source) {
  Sketch sketch;
  sketch.integer({"epoch"}, 3).integer({"global_step"}, 12).integer({"step"}, 4);
  const auto step = checkpoint_step(sketch.named());
  ASSERT_TRUE(step);
  EXPECT_EQ(step->step, 12);
  EXPECT_EQ(step->source, "loop/global_step");
}

TEST(Step, of_the_optimizer_where_the_loop_says_nothing) {
  Sketch sketch = with_optimizer({7, 7, 5});
  const auto step = checkpoint_step(sketch.integer({"epoch"}, 1).named());
  ASSERT_TRUE(step);
  EXPECT_EQ(step->step, 7);
  EXPECT_EQ(step->source, "optimizer/state/*/step (3 counters)");
}

TEST(Step, micro_batches_and_steps_within_an_epoch_are_not_optimizer_steps) {
  Sketch micro = with_optimizer({5, 5}), within = with_optimizer({100, 100});
  EXPECT_EQ(checkpoint_step(micro.integer({"step"}, 20).named())->step, 5);
  EXPECT_EQ(checkpoint_step(within.integer({"step"}, 20).named())->step, 100);
}

TEST(Step, of_a_torn_checkpoint_is_the_loops) {
  Sketch torn = with_optimizer({5, 5});
  const auto step = checkpoint_step(torn.integer({"step"}, 4).named());
  EXPECT_EQ(step->step, 4);
  EXPECT_EQ(step->source, "loop/step");
}

TEST(Step, never_from_an_epoch_or_a_fraction) {
  Sketch epoch, fraction;
  EXPECT_FALSE(checkpoint_step(epoch.integer({"epoch"}, 3).named()));
  EXPECT_FALSE(checkpoint_step(fraction.value({"step"}, 0.5).named()));
  Sketch negative;
  EXPECT_FALSE(checkpoint_step(negative.integer({"step"}, -1).named()));
}

TEST(Step, inner_iterations_are_no_steps) {
  Sketch sketch;
  const StateTree tree = sketch.integer({"o", "state", 0, "n_iter"}, 80)
                             .integer({"o", "state", 0, "func_evals"}, 90)
                             .integer({"o", "param_groups", 0, "lr"}, 1)
                             .integer({"step"}, 4)
                             .named();
  EXPECT_EQ(checkpoint_step(tree)->step, 4);
  EXPECT_FALSE(optimizer_steps(tree, "optimizer"));
}

TEST(Step, of_each_optimizer_apart) {
  Sketch sketch = with_optimizer({3, 3, 4});
  const StateTree tree = sketch.scalar({"second", "state", 0, "step"}, 9)
                             .tensor({"second", "state", 0, "exp_avg"}, {2})
                             .named();
  const auto first = optimizer_steps(tree, "optimizer"),
             second = optimizer_steps(tree, "optimizer.1");
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->mode, 3);
  EXPECT_EQ(first->highest_path, "optimizer/state/2/step");
  EXPECT_EQ(second->mode, 9);
  EXPECT_FALSE(optimizer_steps(tree, "optimizer.2"));
}

}  // namespace
}  // namespace samestep
