#include "checkpoint/naming/claims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/checkpoint/naming/sketch.h"

namespace samestep {
namespace {

using sketch::Keys;
using sketch::Sketch;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

std::vector<std::string> paths(Sketch& sketch) {
  std::vector<std::string> texts;
  const StateTree tree = sketch.named();
  for (const StateEntry& entry : tree.entries()) texts.push_back(entry.field.path.text());
  return texts;
}

TEST(Claims, several_of_a_kind_are_numbered_by_appearance) {
  Sketch sketch;
  sketch.tensor({"generator_net", "a.weight"}, {2}).tensor({"critic", "a.weight"}, {2});
  sketch.value({"opt_c", "param_groups", 0, "lr"}, 0.1)
      .value({"opt_g", "param_groups", 0, "lr"}, 0.1);
  EXPECT_THAT(paths(sketch),
              ElementsAre("model/a.weight", "model.1/a.weight", "optimizer/param_groups/0/lr",
                          "optimizer.1/param_groups/0/lr"));
}

TEST(Claims, lists_of_optimizers_and_schedules) {
  Sketch sketch;
  for (int i = 0; i < 2; ++i) {
    sketch.value({"optimizer_states", i, "param_groups", 0, "lr"}, 0.1);
    sketch.integer({"lr_schedulers", i, "last_epoch"}, 1)
        .integer({"lr_schedulers", i, "_step_count"}, 2);
  }
  EXPECT_THAT(paths(sketch),
              ElementsAre("optimizer/param_groups/0/lr", "lr_scheduler/last_epoch",
                          "lr_scheduler/_step_count", "optimizer.1/param_groups/0/lr",
                          "lr_scheduler.1/last_epoch", "lr_scheduler.1/_step_count"));
}

TEST(Claims, shards_are_one_model_and_numbered_files_are_several) {
  Sketch shards;
  shards.in("model-00001-of-00002.safetensors")
      .tensor({"a.weight"}, {2})
      .in("model-00002-of-00002.safetensors")
      .tensor({"b.weight"}, {2});
  EXPECT_THAT(paths(shards), ElementsAre("model/a.weight", "model/b.weight"));
  Sketch several;
  several.in("model.safetensors")
      .tensor({"a.weight"}, {2})
      .in("model_1.safetensors")
      .tensor({"b.weight"}, {2});
  EXPECT_THAT(paths(several), ElementsAre("model/a.weight", "model.1/b.weight"));
}

TEST(Claims, ranks_share_a_component) {
  Sketch sketch;
  for (const char* file :
       {"zero_pp_rank_0_mp_rank_00_optim_states.pt", "zero_pp_rank_1_mp_rank_00_optim_states.pt"}) {
    sketch.in(file).tensor({"optimizer_state_dict", "base_optimizer_state", "state", 0, "exp_avg"},
                           {4});
  }
  EXPECT_THAT(paths(sketch),
              ElementsAre("optimizer/state/0/exp_avg", "optimizer/state/0/exp_avg#2"));
}

TEST(Claims, content_inside_a_container_that_a_name_claims) {
  Sketch sketch;
  sketch.integer({"trainer", "step"}, 1)
      .tensor({"trainer", "net", "a.weight"}, {2})
      .value({"trainer", "o", "param_groups", 0, "lr"}, 0.1);
  sketch.integer({"trainer", "loader", "batches"}, 3).rng({"trainer", "rng"});
  EXPECT_THAT(paths(sketch),
              ElementsAre("loop/step", "model/a.weight", "optimizer/param_groups/0/lr",
                          "dataloader/batches", "rng/torch.cpu"));
}

TEST(Claims, a_stateful_loader_inside_a_loaders_own_dict) {
  Sketch sketch;
  sketch.integer({"loader", "epoch"}, 1)
      .integer({"loader", "sdl", "_num_yielded"}, 3)
      .rng({"loader", "sdl", "_sampler_iter_state", "generator"});
  EXPECT_THAT(paths(sketch), ElementsAre("dataloader/epoch", "dataloader/_num_yielded",
                                         "dataloader/_sampler_iter_state/generator"));
}

TEST(Claims, averages_gradients_and_arguments_by_name) {
  Sketch sketch;
  sketch.tensor({"model_ema", "module", "a.weight"}, {2}).integer({"model_ema", "updates"}, 3);
  sketch.tensor({"gradients", "a.weight"}, {2})
      .integer({"args", "step"}, 9)
      .value({"args", "optimizer", "name"}, std::string("adamw"));
  EXPECT_THAT(paths(sketch), ElementsAre("ema/a.weight", "ema/updates", "gradients/a.weight",
                                         "extra/args/step", "extra/args/optimizer/name"));
}

TEST(Claims, swapped_averages_of_lightning) {
  Sketch sketch;
  sketch.tensor({"state_dict", "a.weight"}, {2})
      .tensor({"current_model_state", "a.weight"}, {2})
      .tensor({"averaging_state", "n_averaged"}, {}, Dtype::int64);
  EXPECT_THAT(paths(sketch), ElementsAre("ema/a.weight", "model/a.weight", "ema/n_averaged"));
}

TEST(Claims, two_states_of_one_stream_in_a_file_are_a_process_stream_and_a_generator) {
  Sketch sketch;
  sketch.rng({"rng", "torch"}).rng({"spare", "torch"});
  EXPECT_THAT(paths(sketch), ElementsAre("rng/torch.cpu", "rng/generator.spare.torch"));
}

TEST(Claims, tensors_of_a_model_beside_other_parts) {
  Sketch sketch;
  sketch.tensor({"layers.0.weight"}, {2})
      .tensor({"norm.weight"}, {2})
      .tensor({"optimizer", "state.norm.weight.exp_avg"}, {2})
      .integer({"train_state", "step"}, 5);
  EXPECT_THAT(paths(sketch), ElementsAre("model/layers.0.weight", "model/norm.weight",
                                         "optimizer/state/norm.weight/exp_avg", "loop/step"));
}

TEST(Claims, numbers_count_at_the_top_and_not_beside_random_states) {
  Sketch sketch("random_states_0.pkl");
  sketch.integer({"step"}, 0).integer({"best_metric"}, 1);
  sketch.in("a.pt").integer({"epoch"}, 0).tensor({"x"}, {2});
  EXPECT_THAT(paths(sketch),
              UnorderedElementsAre("extra/random_states_0/step",
                                   "extra/random_states_0/best_metric", "loop/epoch", "extra/a/x"));
}

TEST(Claims, a_counter_that_is_a_file_of_its_own_counts) {
  Sketch sketch("run/step.pt");
  sketch.scalar({"0"}, 4).in("run/epoch.bin").integer({}, 1);
  sketch.in("run/scale.pt").scalar({"0"}, 2).in("run/steps.pt").scalar({"0"}, 4).scalar({"1"}, 5);
  sketch.in("run/list/step.pt").scalar({0}, 6);
  EXPECT_THAT(paths(sketch),
              UnorderedElementsAre("loop/step", "loop/epoch", "extra/scale/0", "extra/steps/0",
                                   "extra/steps/1", "extra/step/0"));
}

TEST(Claims, depth_and_bare_values_are_named_too) {
  Sketch sketch;
  sketch.integer(Keys(70, "k"), 1).integer({}, 2);
  EXPECT_THAT(paths(sketch), ElementsAre("extra/k/70 keys deep", "extra/checkpoint"));
}

}  // namespace
}  // namespace samestep
