#include "resume_check/trainable.h"

#include <gtest/gtest.h>

#include "tests/resume_check/fixture.h"

namespace samestep {
namespace {

using testing::Leg;
using testing::ramp;
using testing::State;

State weight() { return State().parameter("model/w", ramp(8, 1)); }

State frozen() { return weight().value("model/w.requires_grad", Value(false), "attribute"); }

RankRecord record(const State& state) { return Leg().capture(4, state).record(); }

const StateEntry* flag_of(const RankRecord& record) {
  return record.tree.find(FieldPath("model/w.requires_grad"));
}

TEST(Trainable, WhereOneLegHasFrozenAParameterTheOtherTrainsIt) {
  for (const bool resumed_is_frozen : {false, true}) {
    RankRecord before = record(resumed_is_frozen ? weight() : frozen()),
               after = record(resumed_is_frozen ? frozen() : weight());
    complete_flags(before, after);
    const auto *trained = flag_of(resumed_is_frozen ? before : after),
               *other = flag_of(resumed_is_frozen ? after : before);
    ASSERT_TRUE(trained && other);
    EXPECT_EQ(trained->field.value, Value(true));
    EXPECT_EQ(other->field.value, Value(false));
    EXPECT_NE(trained->field.digest, other->field.digest);
  }
}

TEST(Trainable, AParameterThatALegDoesNotHaveIsNotTrainedThere) {
  RankRecord before = record(frozen()), after = record(State().parameter("model/v", ramp(8, 1)));
  complete_flags(before, after);
  EXPECT_EQ(flag_of(after), nullptr);
}

TEST(Trainable, WhereBothHaveFrozenItNothingIsAdded) {
  RankRecord before = record(frozen()), after = record(frozen());
  complete_flags(before, after);
  EXPECT_EQ(before.tree.entries().size(), 2u);
  EXPECT_EQ(after.tree.entries().size(), 2u);
}

}  // namespace
}  // namespace samestep
