#include "checkpoint/naming/ranks.h"

#include <gtest/gtest.h>

#include "tests/checkpoint/naming/sketch.h"

namespace samestep {
namespace {

using sketch::Sketch;

TEST(Ranks, numbers_of_ranks_in_names) {
  EXPECT_EQ(rank_in_name("zero_pp_rank_1_mp_rank_00_optim_states"), 1);
  EXPECT_EQ(rank_in_name("mp_rank_00_model_states"), 0);
  EXPECT_EQ(rank_in_name("rng_state_3"), 3);
  EXPECT_EQ(rank_in_name("random_states_12"), 12);
  EXPECT_EQ(rank_in_name("dp_rank_0"), 0);
  EXPECT_EQ(rank_in_name("ep0-ba5-rank2"), 2);
  EXPECT_EQ(rank_in_name("torch_1"), 1);
  EXPECT_EQ(rank_in_name("py_1"), 1);
  EXPECT_EQ(rank_in_name("np_2"), 2);
  EXPECT_EQ(rank_in_name("rng_state/shard_0.1_1.2"), 1);
  EXPECT_EQ(rank_in_name("rng_state/shard_1.0_2.2"), 2);
}

TEST(Ranks, other_numbers_are_no_ranks) {
  for (const char* name :
       {"worker_1", "layer_2", "model_1", "optimizer_1", "torch_1a", "rank", "ranking",
        "rng_state/shard_0.1", "rng_state/shard_0.1_1", "rank_99999999999999999999"}) {
    EXPECT_EQ(rank_in_name(name), std::nullopt) << name;
  }
}

TEST(Ranks, the_nearest_key_tells_before_the_file) {
  const Document document = Sketch()
                                .in("step5/zero_pp_rank_1_optim.pt")
                                .integer({"dp_rank_3", 0, "x"}, 1)
                                .integer({"y", 2}, 1)
                                .take();
  const KeyTree tree(document);
  const KeyNode& file = *tree.files()[0];
  const KeyNode& x = *file.child("dp_rank_3")->children[0]->children[0];
  EXPECT_EQ(rank_of(x), 3);
  EXPECT_EQ(rank_in_keys(x), 3);
  EXPECT_EQ(rank_of(*file.child("y")->children[0]), 1);
  EXPECT_EQ(rank_in_keys(*file.child("y")->children[0]), std::nullopt);
}

TEST(Ranks, stems) {
  EXPECT_EQ(stem_of("a/b/optimizer.pt"), "optimizer");
  EXPECT_EQ(stem_of(".metadata"), ".metadata");
  EXPECT_EQ(stem_of("plain"), "plain");
  EXPECT_EQ(stem_of(""), "");
}

}  // namespace
}  // namespace samestep
