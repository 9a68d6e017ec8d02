#include "resume_check/torch/leg_recorder.h"

#include <ATen/ops/equal.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/capture/torch/tiny_trainer.h"

namespace samestep::libtorch {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

LegTask task_of(std::int64_t at, std::int64_t steps) {
  LegTask task;
  task.name = "leg";
  task.at = at;
  task.steps = steps;
  return task;
}

/// A trainer that is recorded.
struct Recorded {
  explicit Recorded(LegTask task, std::uint64_t seed = 7) : trainer(adamw_kind(), seed) {
    trainer.watch_all(session.probes());
    trainer.told = &session;
    recorder.emplace(session, std::move(task));
  }
  TinyTrainer trainer;
  Session session;
  std::optional<LegRecorder> recorder;
};

TEST(ARecordedLeg, HasTheBoundariesOfEachStepInCausalOrder) {
  Recorded leg(task_of(1, 2));
  leg.trainer.steps(3);
  const RankRecord& record = leg.recorder->record();
  std::vector<std::string> phases;
  for (const LogTrace& trace : record.log.traces)
    if (trace.completed == 2) phases.push_back(trace.phase.substr(0, trace.phase.find(':')));
  phases.erase(std::unique(phases.begin(), phases.end()), phases.end());
  EXPECT_THAT(phases, ElementsAre("batch", "forward", "loss", "grad", "optimizer"));
  EXPECT_THAT(record.log.begins, SizeIs(4));
  EXPECT_EQ(record.log.begins.back().phase, "end");
  EXPECT_EQ(record.log.begins.back().completed, 3);
}

TEST(ARecordedLeg, IsCapturedWithItsNextBatch) {
  Recorded leg(task_of(1, 2));
  leg.trainer.steps(3);
  const RankRecord& record = leg.recorder->record();
  ASSERT_TRUE(record.capture);
  EXPECT_EQ(record.capture->completed, 1);
  EXPECT_NE(record.tree.find(FieldPath("dataloader/next_batch")), nullptr);
  EXPECT_NE(record.tree.find(FieldPath("optimizer/state/first.weight/exp_avg")), nullptr);
  EXPECT_THAT(record.log.dead_gradients, Contains("gradients/first.weight"));
}

TEST(ARecordedLeg, TrainsAsOneThatIsNotRecorded) {
  TinyTrainer alone;
  alone.steps(4);
  LegTask task = task_of(1, 3);
  task.keeps_reference = true;
  Recorded leg(task);
  leg.trainer.steps(4);
  EXPECT_THAT(differing(alone.snapshot(), leg.trainer.snapshot()), IsEmpty());
}

TEST(ARecordedLeg, OfTheLastBoundaryAloneHasNothingElse) {
  LegTask task = task_of(1, 2);
  task.last_only = true;
  Recorded leg(task);
  leg.trainer.steps(3);
  EXPECT_THAT(leg.recorder->record().log.traces, IsEmpty());
  EXPECT_THAT(leg.recorder->record().log.begins, SizeIs(1));
}

TEST(ARecordedLeg, ThatIsPutRightAtEachBoundaryEndsAsTheOtherOne) {
  LegTask first = task_of(0, 1), second = first;
  first.keeps_reference = true;
  Recorded source(first, 7);
  second.follows = &source.recorder->reference();
  second.mode = TwinMode::lock_step;
  Recorded target(second, 8);
  source.trainer.step();
  target.trainer.step();
  const auto later = differing(source.trainer.snapshot(), target.trainer.snapshot());
  EXPECT_THAT(later, ::testing::Each(::testing::StartsWith("gradients/")));
  EXPECT_THAT(target.recorder->troubles(), IsEmpty());
}

TEST(ARecordedLeg, TellsWhatCannotBePutBack) {
  LegTask first = task_of(0, 1), second = first;
  first.keeps_reference = true;
  Recorded source(first, 7);
  second.follows = &source.recorder->reference();
  second.mode = TwinMode::per_step;
  Recorded target(second, 8);
  std::int64_t more = 3;
  source.session.watch("more", &more);
  source.trainer.step();
  target.trainer.step();
  ASSERT_THAT(target.recorder->troubles(), SizeIs(1));
  EXPECT_EQ(target.recorder->troubles().begin()->first, "state put back after step 1");
}

TEST(ARecordedLeg, IsSilentOnceItsRecorderIsGone) {
  Recorded leg(task_of(0, 1));
  leg.trainer.step();
  leg.recorder.reset();
  leg.trainer.steps(2);
  EXPECT_EQ(leg.trainer.cursor, 3);
}

}  // namespace
}  // namespace samestep::libtorch
