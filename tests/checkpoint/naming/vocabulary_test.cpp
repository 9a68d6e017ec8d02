#include "checkpoint/naming/vocabulary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace samestep {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Vocabulary, words_of_an_identifier_in_any_manner) {
  EXPECT_THAT(words_of("loss_scaler"), ElementsAre("loss", "scaler"));
  EXPECT_THAT(words_of("lossScaler"), ElementsAre("loss", "scaler"));
  EXPECT_THAT(words_of("EMAWeightAveraging"), ElementsAre("ema", "weight", "averaging"));
  EXPECT_THAT(words_of("rng_state_0"), ElementsAre("rng", "state"));
  EXPECT_THAT(words_of("ModelCheckpoint{'every_n_train_steps': 5}"),
              ElementsAre("model", "checkpoint"));
  EXPECT_THAT(words_of("123"), IsEmpty());
}

TEST(Vocabulary, the_more_telling_word_decides) {
  using Kind = ComponentKind;
  EXPECT_EQ(kind_by_name("model_ema"), Kind::ema);
  EXPECT_EQ(kind_by_name("training_args"), Kind::config);
  EXPECT_EQ(kind_by_name("train_loader"), Kind::dataloader);
  EXPECT_EQ(kind_by_name("opt_param_scheduler"), Kind::lr_scheduler);
  EXPECT_EQ(kind_by_name("grad_scaler"), Kind::grad_scaler);
  EXPECT_EQ(kind_by_name("optimizer_states"), Kind::optimizer);
  EXPECT_EQ(kind_by_name("fit_loop"), Kind::loop);
  EXPECT_EQ(kind_by_name("embedding"), std::nullopt);
  EXPECT_EQ(kind_by_name("rngesus"), std::nullopt);
}

TEST(Vocabulary, counters_are_whole_names) {
  EXPECT_EQ(counter_role("global_step"), Role::step_counter);
  EXPECT_EQ(counter_role("epoch"), Role::cursor);
  EXPECT_EQ(counter_role("save_steps"), std::nullopt);
  EXPECT_EQ(counter_role("max_steps"), std::nullopt);
}

TEST(Vocabulary, slots_have_roles_and_unknown_ones_the_likely_role) {
  EXPECT_EQ(slot_role("step", true), Role::step_counter);
  EXPECT_EQ(slot_role("exp_avg", false), Role::moment);
  EXPECT_EQ(slot_role("master_param", false), Role::parameter);
  EXPECT_EQ(slot_role("preconditioner", false), Role::moment);
  EXPECT_EQ(slot_role("flag", true), Role::other);
  EXPECT_TRUE(is_elementwise_slot("momentum_buffer"));
  EXPECT_FALSE(is_elementwise_slot("row_var"));
  EXPECT_FALSE(is_known_slot("weight"));
}

TEST(Vocabulary, names_of_buffers_and_of_module_tensors) {
  EXPECT_TRUE(is_buffer_name("running_mean"));
  EXPECT_FALSE(is_buffer_name("weight"));
  EXPECT_TRUE(is_module_leaf_name("weight"));
  EXPECT_TRUE(is_module_leaf_name("num_batches_tracked"));
  EXPECT_FALSE(is_module_leaf_name("x"));
  EXPECT_EQ(to_string(ComponentKind::config), "extra");
  EXPECT_EQ(to_string(ComponentKind::lr_scheduler), "lr_scheduler");
}

}  // namespace
}  // namespace samestep
