#include "resume_check/late_writer.h"

#include <gtest/gtest.h>

#include "tests/resume_check/fixture.h"

namespace samestep {
namespace {

using testing::Leg;
using testing::ramp;
using testing::State;

State at(int step) {
  return State().parameter("model/a", ramp(8, step)).parameter("model/b", ramp(8, 50 + step));
}

/// The file of `held` appeared after step 6 and says that it is of `says`.
std::optional<std::int64_t> late(const State& held, std::optional<std::int64_t> says,
                                 bool captured = true) {
  Leg leg;
  leg.begin(0, at(0)).begin(4, at(4)).begin(5, at(5));
  if (captured) leg.capture(6, at(6));
  Checkpoint checkpoint;
  checkpoint.tree = held.tree();
  checkpoint.step = says;
  return step_of_late_writer(leg.record(), checkpoint);
}

TEST(LateWriter, TheCheckpointsOwnStepCounts) {
  EXPECT_EQ(late(at(4), 4), 4);
  EXPECT_EQ(late(at(5), 4), 4) << "a snapshot by reference is still the snapshot of step 4";
}

TEST(LateWriter, WhatItHoldsTellsWhereItSaysNothing) {
  EXPECT_EQ(late(at(4), std::nullopt), 4);
  EXPECT_FALSE(late(at(9), std::nullopt)) << "of no step that was logged";
}

TEST(LateWriter, AFileOfTheCapturedStepIsNotLate) {
  EXPECT_FALSE(late(at(6), std::nullopt));
  EXPECT_FALSE(late(at(6), 3)) << "it counts something else";
  EXPECT_FALSE(late(at(9), 12)) << "a count ahead of the run is none of its steps";
}

TEST(LateWriter, AFileThatAppearedAtTheEndOnly) { EXPECT_EQ(late(at(4), 4, false), 4); }

std::optional<std::int64_t> beside(const State& held, std::optional<std::int64_t> says,
                                   const std::string& source) {
  Leg leg;
  leg.begin(0, at(0)).begin(4, at(4)).begin(5, at(5)).begin(7, at(7));
  leg.capture(5, at(5));
  Checkpoint checkpoint;
  checkpoint.tree = held.tree();
  checkpoint.step = says;
  checkpoint.step_source = source;
  return step_beside_asked(leg.record(), checkpoint);
}

TEST(LateWriter, AnAtThatDoesNotFitTheCheckpointIsTold) {
  EXPECT_EQ(beside(at(7), 7, "loop/step"), 7);
  EXPECT_EQ(beside(at(4), 4, "loop/global_step"), 4);
}

TEST(LateWriter, ACheckpointOfAStepBeyondAllThatWasSeenIsTold) {
  const auto with_counter = [](const State& state, float step) {
    return State(state).slot("a", "step", 0, testing::scalar(step));
  };
  EXPECT_EQ(beside(with_counter(at(20), 20), 20, "loop/step"), 20);
  EXPECT_FALSE(beside(with_counter(at(20), 5), 20, "loop/step")) << "its counters say another";
  EXPECT_FALSE(beside(with_counter(at(4), 20), 20, "loop/step")) << "stale parameters: a fault";
  EXPECT_FALSE(beside(with_counter(at(20), 20), 20, "optimizer/state/a/step"));
}

TEST(LateWriter, ABadSnapshotIsNoMistakeOfTheUser) {
  EXPECT_FALSE(beside(at(7), 5, "loop/step")) << "torn: it says the captured step";
  EXPECT_FALSE(beside(at(7), 7, "optimizer/state/a/step")) << "references move on together";
  EXPECT_FALSE(beside(at(5), 7, "loop/step")) << "the state is right, the count is not";
  EXPECT_FALSE(beside(at(9), 9, "loop/step")) << "of no step that was logged";
  EXPECT_FALSE(beside(at(7), std::nullopt, ""));
}

StepLog log_of(std::initializer_list<int> skipped, std::initializer_list<int> saved) {
  StepLog log;
  for (const int step : skipped)
    log.events.push_back({"skipped_step", "{\"completed\":" + std::to_string(step) + "}"});
  for (const int step : saved)
    log.events.push_back({"save", "{\"completed\":" + std::to_string(step) + "}"});
  return log;
}

TEST(LateWriter, StepsThatTheScalerSkippedMayNotBeCounted) {
  EXPECT_EQ(step_with_skipped(log_of({1, 2, 3}, {7}), 4), 7);
  EXPECT_EQ(step_with_skipped(log_of({1, 9}, {3, 5}), 4), 5) << "those after the save do not count";
  EXPECT_FALSE(step_with_skipped(log_of({1, 2, 3}, {4, 7}), 4)) << "the trainer counts them";
  EXPECT_FALSE(step_with_skipped(log_of({}, {7}), 4)) << "a late writer";
  EXPECT_FALSE(step_with_skipped(log_of({1}, {7}), 4)) << "nothing fits";
  EXPECT_FALSE(step_with_skipped(log_of({1}, {}), 4));
}

}  // namespace
}  // namespace samestep
