#include "resume_check/part_pairs.h"

#include <gtest/gtest.h>

#include "resume_check/align.h"
#include "tests/resume_check/fixture.h"

namespace samestep {
namespace {

using testing::ramp;
using testing::State;

State schedule(const std::string& at, double rate, std::int64_t epoch) {
  return State()
      .value(at + "/last_epoch", Value(epoch), "state_dict")
      .value(at + "/_last_lr/0", Value(rate), "state_dict");
}

State with(State state, const State& more) {
  for (const auto& entry : more.tree().entries())
    state.value(entry.field.path.text(), *entry.field.value, "state_dict");
  return state;
}

TEST(PartPairs, ContentTellsNumberedPartsApart) {
  const State live =
      State().parameter("model/0.bias", ramp(8, 1)).parameter("model.1/0.bias", ramp(8, 2));
  const State file =
      State().parameter("model/0.bias", ramp(8, 2)).parameter("extra/g/0.bias", ramp(8, 1));
  const auto pairs = pair_parts(live.tree(), file.tree());
  EXPECT_EQ(pairs.at("model"), "extra/g");
  EXPECT_EQ(pairs.at("model.1"), "model");
  for (const auto& match : align(live.tree(), file.tree()).matches) {
    ASSERT_TRUE(match);
    EXPECT_TRUE(match->equal);
  }
}

TEST(PartPairs, SchedulesArePairedByTheirNumbers) {
  const State live = with(schedule("lr_scheduler", 0.5, 4), schedule("lr_scheduler.1", 0.25, 4));
  const State file = with(schedule("lr_scheduler", 0.25, 4), schedule("extra/gs", 0.5, 4));
  const auto pairs = pair_parts(live.tree(), file.tree());
  EXPECT_EQ(pairs.at("lr_scheduler"), "extra/gs");
  EXPECT_EQ(pairs.at("lr_scheduler.1"), "lr_scheduler");
  EXPECT_TRUE(align(live.tree(), file.tree()).matches[1]->equal);
}

TEST(PartPairs, APartOfItsOwnNameWinsATie) {
  const State live = with(schedule("lr_scheduler", 0.5, 4), schedule("lr_scheduler.1", 0.5, 4));
  const auto pairs = pair_parts(live.tree(), live.tree());
  EXPECT_EQ(pairs.at("lr_scheduler"), "lr_scheduler");
  EXPECT_EQ(pairs.at("lr_scheduler.1"), "lr_scheduler.1");
}

TEST(PartPairs, OneOfAKindIsItself) {
  const State live = State().parameter("model/w", ramp(8, 1));
  const State file = State().parameter("model/w", ramp(8, 9)).parameter("extra/old/w", ramp(8, 1));
  EXPECT_TRUE(pair_parts(live.tree(), file.tree()).empty());
}

TEST(PartPairs, AStalePartKeepsItsName) {
  const State live = State().parameter("model/w", ramp(8, 1)).parameter("model.1/w", ramp(8, 2));
  const State file = State().parameter("model/w", ramp(8, 9)).parameter("model.1/w", ramp(8, 2));
  const auto aligned = align(live.tree(), file.tree());
  ASSERT_TRUE(aligned.matches[0]);
  EXPECT_EQ(aligned.matches[0]->entry->field.path.text(), "model/w");
  EXPECT_FALSE(aligned.matches[0]->equal);
}

}  // namespace
}  // namespace samestep
