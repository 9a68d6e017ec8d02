#include "resume_check/divergence.h"

#include <gtest/gtest.h>

#include "tests/resume_check/fixture.h"

namespace samestep {
namespace {

using testing::filled;
using testing::Leg;
using testing::ramp;
using testing::scalar;
using testing::State;

const std::set<std::string> kFields{"model/w", "optimizer/state/w/exp_avg",
                                    "lr_scheduler/last_epoch", "rng/torch.cpu"};

State at_step(int step, int fault = 0) {
  return State()
      .parameter("model/w", ramp(8, step + fault))
      .slot("w", "exp_avg", 0, ramp(8, step + 50 + fault))
      .declared_value("lr_scheduler/last_epoch", Value(std::int64_t{step}))
      .stream("rng/torch.cpu", ramp(8, 100 + step));
}

Leg sound() {
  Leg leg;
  for (int step = 4; step <= 7; ++step) {
    leg.begin(step, at_step(step));
    for (const char* phase : {"batch", "forward:head", "loss", "grad:w", "optimizer"})
      leg.trace(step, phase, static_cast<std::uint64_t>(step));
  }
  return leg;
}

StepsQuestion question() { return {0, 4, 3, kFields, false, {}}; }

TEST(Divergence, EqualLegsHaveNone) {
  const auto same = compare_steps(sound().record().log, sound().record().log, question());
  EXPECT_FALSE(same.divergence);
  EXPECT_EQ(same.steps, 3);
  EXPECT_EQ(same.boundaries, 3u * 5 + 3u * 4);
  EXPECT_TRUE(same.moved);
}

TEST(Divergence, IsTheFirstBoundaryAndTheRestIsFolded) {
  Leg other;
  other.begin(4, at_step(4))
      .trace(4, "batch", 4)
      .trace(4, "forward:head", 4)
      .trace(4, "loss", 99)
      .trace(4, "grad:w", 99)
      .trace(4, "optimizer", 4);
  other.begin(5, at_step(5, 1));
  const auto found = compare_steps(sound().record().log, other.record().log, question());
  ASSERT_TRUE(found.divergence);
  EXPECT_EQ(found.divergence->first.phase, "loss");
  EXPECT_EQ(found.divergence->first.step, 5);
  EXPECT_EQ(found.divergence->certified_steps, 0);
  EXPECT_EQ(found.divergence->certified_boundaries, 2u);
  EXPECT_EQ(found.divergence->folded, 1u + 2u) << "the gradient, the parameter and its moment";
  EXPECT_EQ(found.steps, 1);
}

TEST(Divergence, WithinABeginTheCausalOrderDecides) {
  Leg other;
  other.begin(4, at_step(4));
  auto later = State()
                   .parameter("model/w", ramp(8, 9))
                   .slot("w", "exp_avg", 0, ramp(8, 9))
                   .declared_value("lr_scheduler/last_epoch", Value(std::int64_t{9}))
                   .stream("rng/torch.cpu", ramp(8, 9));
  other.begin(5, later);
  auto log = sound().record().log;
  log.traces.clear();
  const auto found = compare_steps(log, other.record().log, question());
  ASSERT_TRUE(found.divergence);
  EXPECT_EQ(found.divergence->name, "rng/torch.cpu");
  EXPECT_EQ(found.divergence->folded, 3u);
}

TEST(Divergence, AnEndAgainstABeginComparesWhatIsSettled) {
  Leg first, second;
  first.begin(4, at_step(4)).begin(5, at_step(5));
  auto before_schedule = State()
                             .parameter("model/w", ramp(8, 5))
                             .slot("w", "exp_avg", 0, ramp(8, 55))
                             .declared_value("lr_scheduler/last_epoch", Value(std::int64_t{4}))
                             .stream("rng/torch.cpu", ramp(8, 0));
  second.begin(4, at_step(4)).end(5, before_schedule);
  const auto found = compare_steps(first.record().log, second.record().log, question());
  EXPECT_FALSE(found.divergence);
  EXPECT_EQ(found.boundaries, 2u);
  EXPECT_EQ(found.steps, 1);
}

TEST(Divergence, ABatchIsNoted) {
  Leg other = sound();
  auto log = other.record().log;
  for (auto& trace : log.traces) {
    if (trace.phase == "batch") trace.digest = {1, 2};
  }
  EXPECT_TRUE(compare_steps(sound().record().log, log, question()).batches_differ);
}

TEST(Divergence, AnOpenWindowIsAlignedAtItsEnd) {
  Leg first, second;
  first.begin(4, at_step(4))
      .trace(4, "loss", 1)
      .trace(4, "loss", 2)
      .trace(4, "loss", 3)
      .begin(5, at_step(5));
  second.begin(4, at_step(4)).trace(4, "loss", 2).trace(4, "loss", 3).begin(5, at_step(5));
  EXPECT_FALSE(compare_steps(first.record().log, second.record().log, question()).divergence);
}

TEST(Divergence, ABoundaryOfOneLegIsSaid) {
  Leg first, second;
  first.begin(4, at_step(4)).trace(4, "forward:extra", 1).begin(5, at_step(5));
  second.begin(4, at_step(4)).begin(5, at_step(5));
  const auto found = compare_steps(first.record().log, second.record().log, question());
  ASSERT_EQ(found.not_compared.size(), 1u);
  EXPECT_EQ(found.not_compared[0].first, "boundary forward:extra");
}

TEST(Divergence, ASlotThatWasWrongAlreadyStaysWrong) {
  Leg first, second;
  first.begin(4, at_step(4)).trace(4, "optimizer:optimizer/state/w/step", 1).begin(5, at_step(5));
  second.begin(4, at_step(4)).trace(4, "optimizer:optimizer/state/w/step", 2).begin(5, at_step(5));
  auto asked = question();
  EXPECT_TRUE(compare_steps(first.record().log, second.record().log, asked).divergence);
  asked.differing = {"optimizer/state/w/step"};
  EXPECT_FALSE(compare_steps(first.record().log, second.record().log, asked).divergence);
}

TEST(Divergence, NothingTrained) {
  Leg leg;
  leg.begin(4, at_step(4)).begin(5, at_step(4)).begin(6, at_step(4)).begin(7, at_step(4));
  EXPECT_FALSE(compare_steps(leg.record().log, leg.record().log, question()).moved);
}

TEST(Divergence, LastBoundariesOfAControl) {
  Leg control;
  control.begin(7, at_step(7));
  bool compared = false;
  EXPECT_TRUE(
      last_boundary_differences(sound().record().log, control.record().log, kFields, compared)
          .empty());
  EXPECT_TRUE(compared);
  Leg unlike;
  unlike.begin(7, at_step(7, 1));
  EXPECT_EQ(last_boundary_differences(sound().record().log, unlike.record().log, kFields, compared)
                .front(),
            "model/w");
  last_boundary_differences(sound().record().log, Leg().record().log, kFields, compared);
  EXPECT_FALSE(compared);
}

TEST(Divergence, TensorsOfNoModuleAreTrainedToo) {
  const auto at = [](int step) {
    return State().tensor("extra/w", ramp(8, step), "parameter", Role::parameter);
  };
  Leg leg;
  leg.begin(4, at(4)).trace(4, "loss", 1).begin(5, at(5)).trace(5, "loss", 2).begin(6, at(6));
  EXPECT_TRUE(compare_steps(leg.record().log, leg.record().log, question()).moved);
  Leg still;
  still.begin(4, at(4)).trace(4, "loss", 1).begin(5, at(4)).trace(5, "loss", 2).begin(6, at(4));
  EXPECT_FALSE(compare_steps(still.record().log, still.record().log, question()).moved);
}

}  // namespace
}  // namespace samestep
