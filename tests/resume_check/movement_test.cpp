#include "resume_check/movement.h"

#include <gtest/gtest.h>

#include "tests/resume_check/fixture.h"

namespace samestep {
namespace {

using testing::Leg;
using testing::State;

State counter(std::int64_t moving) {
  return State().attribute("ema/updates", moving).attribute("ema/period", 7);
}

Digest digest(const State& state) { return *testing::entry(state, "ema/updates").field.digest; }

TEST(Movement, KnowsWhatMovedAndWhen) {
  Leg leg;
  leg.begin(0, counter(0)).begin(1, counter(1)).begin(2, counter(1)).begin(3, counter(1));
  const Movement movement(leg.record().log);
  EXPECT_TRUE(movement.moved("ema/updates"));
  EXPECT_FALSE(movement.moved_since("ema/updates", 1));
  EXPECT_FALSE(movement.moved("ema/period"));
  EXPECT_FALSE(movement.moved("ema/unknown"));
}

TEST(Movement, AFieldThatComesHasMoved) {
  Leg leg;
  leg.begin(0, State()).begin(1, counter(1));
  EXPECT_TRUE(Movement(leg.record().log).moved("ema/period"));
}

TEST(Movement, NamesTheStepOfAValue) {
  Leg leg;
  leg.begin(0, counter(0)).begin(4, counter(4)).begin(5, counter(5));
  const Movement movement(leg.record().log);
  EXPECT_EQ(movement.step_of("ema/updates", digest(counter(5)), 4), 5);
  EXPECT_EQ(movement.step_of("ema/updates", digest(counter(4)), 4), std::nullopt);
  EXPECT_EQ(movement.step_of("ema/updates", digest(counter(9)), 4), std::nullopt);
  EXPECT_EQ(movement.at_start("ema/updates"), digest(counter(0)));
  EXPECT_EQ(movement.at("ema/updates", 5), digest(counter(5)));
  EXPECT_EQ(movement.first_step(), 0);
}

TEST(Movement, WhatIsSetAnewAgreesFromTheNextStepOn) {
  const auto leg = [](int first) {
    Leg made;
    made.begin(4, State().attribute("model/entropy", first).attribute("ema/updates", first));
    made.begin(5, State().attribute("model/entropy", 9).attribute("ema/updates", first + 1));
    return Movement(made.begin(6, State().attribute("model/entropy", 8)).record().log);
  };
  const Movement one = leg(4), other = leg(0);
  EXPECT_TRUE(one.agrees_after(other, "model/entropy", 4));
  EXPECT_FALSE(one.agrees_after(other, "model/entropy", 3)) << "not at the step itself";
  EXPECT_FALSE(one.agrees_after(other, "model/entropy", 6)) << "nothing follows";
  EXPECT_FALSE(one.agrees_after(other, "ema/updates", 4)) << "a count stays another";
  EXPECT_FALSE(one.agrees_after(one, "ema/updates", 4)) << "it is not there at every begin";
}

TEST(Movement, AValueThatBothLegsHadIsNoClocks) {
  const auto at = [](double number) {
    return State().value("loop/m/warmup_time", Value(number), "attribute");
  };
  Leg leg, again, clock;
  leg.begin(0, at(0.0)).begin(1, at(0.1)).begin(2, at(0.2));
  again.begin(2, at(0.0)).begin(3, at(0.1));
  clock.begin(2, at(0.0)).begin(3, at(0.1037));
  const Movement movement(leg.record().log);
  EXPECT_TRUE(movement.meets(Movement(again.record().log), "loop/m/warmup_time"));
  EXPECT_FALSE(movement.meets(Movement(clock.record().log), "loop/m/warmup_time"))
      << "both begin at zero, which says nothing";
  EXPECT_FALSE(movement.meets(Movement(again.record().log), "loop/m/other"));
}

}  // namespace
}  // namespace samestep
