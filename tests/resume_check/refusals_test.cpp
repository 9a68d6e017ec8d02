#include "resume_check/refusals.h"

#include <gtest/gtest.h>

#include "schemas/error.h"
#include "tests/resume_check/fixture.h"
#include "tests/support/temporary_folder.h"

namespace samestep {
namespace {

using testing::Leg;
using testing::ramp;
using testing::State;

const State kState = State().parameter("model/w", ramp(8, 1));

std::string said(const LegOutcome& outcome, const LegAsked& asked) {
  try {
    refuse_uncaptured(outcome, asked);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

bool says(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

TEST(Refusals, ACapturedLegIsNotRefused) {
  LegOutcome outcome;
  outcome.ranks = {Leg().capture(4, kState).record()};
  EXPECT_EQ(said(outcome, {"uninterrupted", "/nowhere", 4, false}), "");
}

TEST(Refusals, NoOptimizerStepIsSaid) {
  LegOutcome outcome;
  outcome.ranks = {Leg().begin(0, kState).end(0, kState).record()};
  const auto text = said(outcome, {"uninterrupted", "/nowhere", 4, false});
  EXPECT_TRUE(says(text, "no optimizer step was seen")) << text;
  EXPECT_TRUE(says(text, "torch.optim")) << text;
  EXPECT_FALSE(says(text, "let it train longer")) << text;
}

TEST(Refusals, AStepThatNeverComes) {
  LegOutcome outcome;
  outcome.ranks = {Leg().begin(0, kState).begin(3, kState).record()};
  outcome.stepping = {"optimizer"};
  auto text = said(outcome, {"uninterrupted", "/nowhere", 9, false});
  EXPECT_TRUE(says(text, "ended after step 3")) << text;
  EXPECT_TRUE(says(text, "step 9 never came")) << text;
  EXPECT_TRUE(says(text, "earlier --at")) << text;
  text = said(outcome, {"uninterrupted", "/nowhere", std::nullopt, false});
  EXPECT_TRUE(says(text, "give --at with the number of optimizer steps")) << text;
  text = said(outcome, {"resumed", "/nowhere", 3, true});
  EXPECT_TRUE(says(text, "at least one step more")) << text;
}

TEST(Refusals, AFullDiskIsNotTheCommandsFault) {
  const TemporaryFolder folder;
  folder.write("log.txt", "RuntimeError: [enforce fail] No space left on device\n");
  LegOutcome outcome;
  outcome.report.log = folder / "log.txt";
  outcome.ranks = {Leg().begin(0, kState).record()};
  const auto text = said(outcome, {"uninterrupted", folder.path(), 4, false});
  EXPECT_TRUE(says(text, "the disk is full")) << text;
  EXPECT_TRUE(says(text, "--work on another disk")) << text;
}

std::string unrecorded(std::vector<std::string> argv) {
  LegRequest request;
  request.name = "uninterrupted";
  request.argv = std::move(argv);
  try {
    refuse_unrecorded(request, "/nowhere/log.txt");
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Refusals, NothingRecordedSaysWhatToCheck) {
  auto text = unrecorded({"python", "train.py", "-S"});
  EXPECT_TRUE(says(text, "nothing was recorded")) << text;
  EXPECT_TRUE(says(text, "pip show samestep")) << text;
  EXPECT_TRUE(says(text, "must not be isolated (-I, -S, -E)")) << text;
  text = unrecorded({"/usr/bin/python3", "-I", "train.py"});
  EXPECT_TRUE(says(text, "started with -I")) << text;
}

}  // namespace
}  // namespace samestep
