#include "resume_check/torch/partings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace samestep::libtorch {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A step after `completed` others: digests by name, 0 for one that differs from another step's 1.
StepLog step_of(std::int64_t completed, std::map<std::string, int> traces, int begin = 1,
                int end = 1) {
  const auto digest = [](int number) { return Digest{static_cast<std::uint64_t>(number), 1}; };
  StepLog log;
  log.begins = {{completed, "begin", {{"rng/torch.cpu", digest(begin)}}, {}},
                {completed + 1, "end", {{"rng/torch.cpu", digest(end)}}, {}}};
  for (const char* phase : {"batch", "forward:a", "forward:b", "loss", "grad:w", "grad:v",
                            "optimizer:model/w", "optimizer:model/v"})
    log.traces.push_back({completed, phase, digest(traces.contains(phase) ? traces[phase] : 1)});
  return log;
}

std::vector<std::string> texts(const std::vector<Parting>& partings) {
  std::vector<std::string> found;
  for (const Parting& one : partings)
    found.push_back(one.where.text() + ": " + one.name + " +" + std::to_string(one.folded));
  return found;
}

const std::set<std::string> kFields{"rng/torch.cpu"};

std::vector<std::string> between(const StepLog& target, TwinMode mode) {
  return texts(partings_of({step_of(3, {})}, {target}, kFields, 3, mode));
}

TEST(Partings, OfEqualStepsAreNone) {
  EXPECT_THAT(between(step_of(3, {}), TwinMode::per_step), IsEmpty());
  EXPECT_THAT(between(step_of(3, {}), TwinMode::lock_step), IsEmpty());
}

TEST(Partings, PerStepAreTheFirstDifferenceAndACountOfTheRest) {
  EXPECT_THAT(between(step_of(3, {{"loss", 0}, {"grad:w", 0}}, 1, 0), TwinMode::per_step),
              ElementsAre("step 4, loss: loss +2"));
  EXPECT_THAT(between(step_of(3, {}, 1, 0), TwinMode::per_step),
              ElementsAre("step 4, end: rng/torch.cpu +0"));
}

TEST(Partings, InLockStepAreOneAKindOfBoundary) {
  const StepLog target =
      step_of(3, {{"forward:b", 0}, {"grad:w", 0}, {"grad:v", 0}, {"optimizer:model/v", 0}}, 0, 0);
  EXPECT_THAT(
      between(target, TwinMode::lock_step),
      ElementsAre("step 4, begin: rng/torch.cpu +0", "step 4, forward:b: forward:b +0",
                  "step 4, grad:w: grad:w +1", "step 4, optimizer:model/v: optimizer:model/v +0",
                  "step 4, end: rng/torch.cpu +0"));
}

TEST(Partings, LeaveOutWhatFollowsFromABatchThatCannotBePutBack) {
  const StepLog target =
      step_of(3, {{"batch", 0}, {"forward:a", 0}, {"loss", 0}, {"optimizer:model/w", 0}});
  EXPECT_THAT(
      between(target, TwinMode::lock_step),
      ElementsAre("step 4, batch: batch +0", "step 4, optimizer:model/w: optimizer:model/w +0"));
}

TEST(Partings, AreToldForEachStep) {
  const StepRecords source{step_of(3, {}), step_of(4, {})};
  const StepRecords target{step_of(3, {{"loss", 0}}), step_of(4, {{"loss", 0}})};
  EXPECT_THAT(texts(partings_of(source, target, kFields, 3, TwinMode::per_step)),
              ElementsAre("step 4, loss: loss +0", "step 5, loss: loss +0"));
}

}  // namespace
}  // namespace samestep::libtorch
