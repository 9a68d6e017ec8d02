// The one line that a trainer's own tests need, and what it says of two faults.
#include "trainer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "resume_check/torch/resumes_exactly.h"

using samestep::libtorch::ResumesExactly;
using samestep::libtorch::run_twin;
using samestep::libtorch::TwinOptions;

namespace {

auto trainer(const std::string& fault = "") {
  return [fault] { return std::make_unique<Trainer>(Settings{BYTE_TEXT, fault}); };
}

TEST(Trainer, Resumes) { EXPECT_THAT(run_twin(trainer()), ResumesExactly()); }

TEST(Trainer, DoesNotResumeWithoutItsStreams) {
  const auto twin = run_twin(trainer("streams"));
  EXPECT_THAT(twin, ::testing::Not(ResumesExactly()));
  EXPECT_EQ(twin.report.findings.at(0).field, "rng/torch.cpu");
}

TEST(Trainer, DoesNotResumeWithoutItsSchedule) {
  // Seen at once, though the rate changes only at step 20.
  const auto twin = run_twin(trainer("schedule"));
  EXPECT_THAT(twin, ::testing::Not(ResumesExactly()));
  EXPECT_EQ(twin.report.findings.at(0).field, "lr_scheduler/last_epoch");
}

}  // namespace
