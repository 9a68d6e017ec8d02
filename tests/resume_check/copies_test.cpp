#include "resume_check/copies.h"

#include <gtest/gtest.h>

#include "tests/resume_check/fixture.h"

namespace samestep {
namespace {

using testing::elements;
using testing::Leg;
using testing::ramp;
using testing::scalar;
using testing::State;

Fate fate_in(const State& captured, const State& file, const Leg& resumed_leg,
             const std::string& path, const Leg* first_leg = nullptr) {
  Leg leg;
  const auto record = (first_leg ? *first_leg : leg.capture(4, captured)).record();
  const auto alignment = align(record.tree, file.tree());
  for (const auto& fate : fates_of(record, alignment, resumed_leg.record())) {
    if (fate.path.text() == path) return fate.fate;
  }
  return Fate::unwatched;
}

const State kRight = State().slot("w", "step", 0, scalar(4)).parameter("model/w", ramp(8, 1));
const State kWrong = State().slot("w", "step", 0, scalar(0)).parameter("model/w", ramp(8, 1));

TEST(Copies, BecomeFates) {
  const std::string path = "optimizer/state/w/step";
  EXPECT_EQ(fate_in(kRight, kRight, Leg().capture(4, kRight), path), Fate::kept);
  EXPECT_EQ(fate_in(kRight, kRight, Leg().capture(4, kWrong), path), Fate::lost_after_save);
  EXPECT_EQ(fate_in(kRight, kRight, Leg().capture(4, kWrong).loaded(kRight, path), path),
            Fate::overwritten);
  EXPECT_EQ(fate_in(kRight, kRight, Leg().capture(4, kWrong).loaded(kWrong, path), path),
            Fate::not_applied);
  EXPECT_EQ(fate_in(kRight, kWrong, Leg().capture(4, kWrong), path), Fate::miswritten);
  EXPECT_EQ(fate_in(kRight, kWrong, Leg().capture(4, kRight), path), Fate::healed);
  EXPECT_EQ(fate_in(kRight, State(), Leg().capture(4, kWrong), path), Fate::missing);
  EXPECT_EQ(fate_in(State(), State(), Leg().capture(4, kRight), path), Fate::extra);
}

TEST(Copies, AnotherThingOfTheSameNameIsNotTheField) {
  const std::string path = "extra/Trainer/step";
  const auto live = State().attribute(path, 4), other = State().attribute(path, 1);
  const auto file = State().value("loop/step", Value(std::int64_t{3}), "");
  EXPECT_EQ(fate_in(live, file, Leg().capture(4, live), path), Fate::rederived);
  EXPECT_EQ(fate_in(live, file, Leg().capture(4, other), path), Fate::miswritten);
}

TEST(Copies, ARightLoadBeforeAWrongOneIsOverwritten) {
  const std::string path = "optimizer/state/w/step";
  EXPECT_EQ(fate_in(kRight, kRight,
                    Leg().capture(4, kWrong).loaded(kRight, path).loaded(kWrong, path), path),
            Fate::overwritten);
}

TEST(Copies, DeadGradientsOfEitherLegAreNoState) {
  const auto state = State().tensor("gradients/w", ramp(8, 1), "gradient");
  Leg first;
  first.capture(4, state).dead("gradients/w");
  EXPECT_EQ(fate_in(state, State(), Leg().capture(4, State()), "gradients/w", &first),
            Fate::unwatched);
  EXPECT_EQ(fate_in(state, State(), Leg().capture(4, State()), "gradients/w"), Fate::missing);
}

TEST(Copies, ALiveNumberMayChangeItsRepresentationATensorMayNot) {
  const auto integer = State().value("f", Value(std::int64_t{4}), "");
  const auto tensor = State().tensor("f", scalar(4), "");
  EXPECT_TRUE(equal_live(testing::entry(integer, "f"), testing::entry(tensor, "f")));
  const std::vector<double> wide{1, 2, 3};
  const std::vector<float> narrow{1, 2, 3};
  const auto doubles = State().tensor("f", elements(wide, Dtype::float64, {3}), "");
  const auto floats = State().tensor("f", elements(narrow, Dtype::float32, {3}), "");
  EXPECT_FALSE(equal_live(testing::entry(doubles, "f"), testing::entry(floats, "f")));
}

}  // namespace
}  // namespace samestep
