#include "resume_check/torch/twin_leg.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/rand.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "schemas/error.h"
#include "schemas/json/plan_json.h"
#include "tests/support/temporary_folder.h"

namespace samestep::libtorch {
namespace {

using ::testing::HasSubstr;

/// A session, and a step that the test says.
TwinFactory stepping(std::function<void(Session&)> step, std::function<void(Session&)> watch = {}) {
  return [=] {
    auto session = std::make_shared<Session>();
    if (watch) watch(*session);
    return TwinTrainer{[session]() -> Session& { return *session; }, [=] { step(*session); },
                       [](const std::string&) {}, [](const std::string&) {}};
  };
}

std::string refusal_of(TwinLeg& leg) {
  try {
    leg.step();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ALegOfATwin, RefusesATrainerThatEndsNoStep) {
  TwinLeg leg(stepping([](Session& session) { session.begin_step(); }), {"leg"}, 1);
  EXPECT_THAT(refusal_of(leg), HasSubstr("1000 calls of step() ended no step"));
}

TEST(ALegOfATwin, RefusesATrainerThatMakesSeveralStepsInOne) {
  TwinLeg leg(stepping([](Session& session) {
                for (int i = 0; i < 3; ++i) {
                  session.begin_step();
                  session.end_step();
                }
              }),
              {"leg"}, 1);
  EXPECT_THAT(refusal_of(leg), HasSubstr("one call of step() made 3 steps"));
}

TEST(ALegOfATwin, CallsStepUntilAnAccumulatedStepIsDone) {
  int calls = 0;
  TwinLeg leg(stepping([&](Session& session) {
                session.begin_step();
                if (++calls % 4 == 0) session.end_step();
              }),
              {"leg"}, 1);
  leg.step();
  EXPECT_EQ(calls, 4);
  EXPECT_EQ(leg.recorder().completed(), 1);
}

TEST(ALegOfATwin, PassesOnWhatTheRecorderMet) {
  at::Tensor sparse = at::rand({2, 2}).to_sparse();
  TwinLeg leg(stepping([&](Session& session) {
                session.begin_step();
                session.loss(sparse);
                session.end_step();
              }),
              {"leg", 0, 0, 1}, 1);
  EXPECT_THAT(refusal_of(leg), HasSubstr("a tensor without strided memory"));
}

TEST(ALegOfATwin, HasAStreamForItselfThatTwoTrainersShare) {
  at::Generator shared = at::detail::createCPUGenerator(3);
  std::vector<float> drawn;
  const TwinFactory factory = stepping(
      [&](Session& session) {
        session.begin_step();
        drawn.push_back(at::rand({1}, shared).item<float>());
        session.end_step();
      },
      [&](Session& session) { session.watch("noise", shared); });
  TwinLeg one(factory, {"one"}, 1), other(factory, {"other"}, 2);
  for (int i = 0; i < 3; ++i) {
    one.step();
    other.step();
  }
  // The first draw of `other` comes after one of `one`: it came up with the stream as it was then.
  EXPECT_EQ(drawn[2], drawn[1]);
  EXPECT_EQ(drawn[4], drawn[3]);
}

TEST(ALegOfATwin, RefusesAProcessUnderAPlan) {
  TemporaryFolder folder;
  Plan plan;
  plan.leg = "leg";
  plan.run = folder / "run";
  folder.write("plan.json", plan_to_json(plan));
  ::setenv("SAMESTEP_PLAN", (folder / "plan.json").c_str(), 1);
  EXPECT_THROW(TwinLeg(stepping([](Session&) {}), {"leg"}, 1), Error);
  ::unsetenv("SAMESTEP_PLAN");
}

}  // namespace
}  // namespace samestep::libtorch
