// The decisions of a leg, as a table: what is asked for at each boundary.
#include "capture/schedule.h"

#include <gtest/gtest.h>

#include <string>

namespace samestep {
namespace {

/// A leg of `steps` steps as text, a word a begin: F full, d digest, - nothing; t traced; ! stop.
/// "e" and its letter is the exit of a leg that was never stopped. `there_from`: completed steps
/// from which the checkpoint is there. `copied_from`: from which the copy is made (0: none is
/// asked).
std::string leg(const Plan& plan, std::int64_t steps, std::int64_t there_from = 1000,
                std::int64_t copied_from = 0) {
  Schedule schedule(plan);
  std::string text;
  const auto word = [&text](const Decision& decision) {
    text += "-dF"[static_cast<int>(decision.record)];
    if (decision.trace) text += 't';
    if (decision.stop) text += '!';
  };
  for (std::int64_t step = 0; step < steps; ++step) {
    const std::int64_t completed = plan.start + step;
    const Decision begin =
        schedule.begin({completed, false, completed >= there_from, completed >= copied_from});
    word(begin);
    if (begin.stop) return text;
    if (schedule.end({completed + 1, false, false, completed + 1 >= copied_from}).stop)
      return text + "!";
    text += ' ';
  }
  text += 'e';
  word(schedule.exit({plan.start + steps, false, false, true}));
  return text;
}

Plan plan_at(std::optional<std::int64_t> at, std::int64_t steps) {
  Plan plan;
  plan.leg = "uninterrupted";
  plan.at = at;
  plan.steps = steps;
  return plan;
}

TEST(Schedule, CapturesAtTheStepAndStopsAfterTheLastBoundary) {
  EXPECT_EQ(leg(plan_at(2, 2), 9), "d d Ft dt d!");
  EXPECT_EQ(leg(plan_at(0, 1), 9), "Ft d!");
  EXPECT_EQ(leg(plan_at(0, 0), 9), "F d!");
}

TEST(Schedule, WithoutAStepTheFirstCheckpointDecides) {
  EXPECT_EQ(leg(plan_at({}, 2), 9, 3), "d d d Ft dt d!");
  EXPECT_EQ(leg(plan_at({}, 1), 4), "d d d d ed");
}

TEST(Schedule, AResumedLegCountsFromItsStart) {
  Plan plan = plan_at(10, 2);
  plan.start = 10;
  EXPECT_EQ(leg(plan, 9), "Ft dt d!");
}

TEST(Schedule, ATrainerThatEndsByItselfIsAskedForItsEnd) {
  EXPECT_EQ(leg(plan_at(1, 2), 3), "d Ft dt ed!");
  EXPECT_EQ(leg(plan_at(5, 2), 2), "d d ed");
}

TEST(Schedule, GoesOnUntilTheCopyIsMade) {
  EXPECT_EQ(leg(plan_at(1, 2), 9, 1000, 5), "d Ft dt d -!");
  EXPECT_EQ(leg(plan_at(1, 2), 4, 1000, 99), "d Ft dt d e-!");
}

TEST(Schedule, AFinalOnlyLegRecordsTheLastBoundaryAlone) {
  Plan plan = plan_at(4, 2);
  plan.start = 4;
  plan.final_only = true;
  EXPECT_EQ(leg(plan, 9), "- - d!");
  EXPECT_EQ(leg(plan, 2), "- - ed!");
  EXPECT_EQ(leg(plan, 1), "- ed");
  plan.at.reset();
  EXPECT_EQ(leg(plan, 9), "- - d!");
}

TEST(Schedule, ABareLegRecordsNothing) {
  Plan plan = plan_at(1, 2);
  plan.leg = "bare";
  EXPECT_EQ(leg(plan, 9), "- - -!");
  EXPECT_EQ(leg(plan, 2), "- - e-");
}

TEST(Schedule, WithoutALogOnlyTheCaptureAndTheLastBoundaryAreRecorded) {
  Plan plan = plan_at(1, 2);
  plan.log_begins = false;
  EXPECT_EQ(leg(plan, 9), "- Ft -t d!");
}

TEST(Schedule, WithoutTraceNothingIsTraced) {
  Plan plan = plan_at(1, 1);
  plan.trace = false;
  EXPECT_EQ(leg(plan, 9), "d F d!");
}

TEST(Schedule, APlanThatDoesNotStopRecordsItsStepsAndGoesOn) {
  Plan plan = plan_at(1, 1);
  plan.stop = false;
  EXPECT_EQ(leg(plan, 5), "d Ft d - - e-");
}

TEST(Schedule, ACaptureThatWasMissedStillEndsTheLeg) {
  Plan plan = plan_at(1, 2);
  plan.start = 2;
  EXPECT_EQ(leg(plan, 9), "d d!");
}

TEST(Schedule, ASaveInsideTheWindowAsksForTheCaptureAgain) {
  Schedule schedule(plan_at(2, 1));
  using enum Decision::Record;
  EXPECT_EQ(schedule.begin({1, false, false, true}).record, digest);
  EXPECT_EQ(schedule.begin({1, true, false, true}).record, none);
  EXPECT_EQ(schedule.begin({2, false, false, true}).record, full);
  EXPECT_EQ(schedule.begin({2, true, false, true}).record, full);
  EXPECT_EQ(schedule.begin({2, true, false, true}).record, full);
  EXPECT_EQ(schedule.begin({3, true, false, true}).record, none);
  EXPECT_TRUE(schedule.begin({3, false, false, true}).stop);
}

TEST(Schedule, ACheckpointThatAppearsInsideAWindowIsCapturedThere) {
  Schedule schedule(plan_at({}, 1));
  EXPECT_EQ(schedule.begin({2, false, false, true}).record, Decision::Record::digest);
  EXPECT_EQ(schedule.begin({2, true, true, true}).record, Decision::Record::full);
  EXPECT_EQ(schedule.at(), 2);
}

}  // namespace
}  // namespace samestep
