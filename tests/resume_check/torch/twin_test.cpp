// A resumed run beside the uninterrupted one: verdict, field and fate of faults of each kind.
#include "resume_check/torch/twin.h"

#include <ATen/CPUGeneratorImpl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/optim/adamw.h>

#include "resume_check/torch/resumes_exactly.h"
#include "schemas/error.h"
#include "schemas/json/report_json.h"
#include "tests/resume_check/torch/tiny_twin.h"

namespace samestep::libtorch {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

TwinOptions in_mode(TwinMode mode) {
  TwinOptions options;
  options.mode = mode;
  return options;
}

TEST(Twins, OfASoundTrainerAreTheSameInEachMode) {
  for (const TwinMode mode : {TwinMode::free_run, TwinMode::per_step, TwinMode::lock_step}) {
    const Twin twin = run_twin(tiny(), in_mode(mode));
    EXPECT_THAT(twin, ResumesExactly());
    EXPECT_THAT(partings_in(twin), IsEmpty());
    EXPECT_GT(twin.report.coverage.boundaries_compared, 100u);
    EXPECT_EQ(twin.report.coverage.steps_compared, 3);
    EXPECT_TRUE(twin.report.coverage.power);
  }
}

/// A hundred in ten tests, each of ten.
class SoundTwins : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(SoundTwins, RaiseNoAlarm) {
  for (std::uint64_t i = 0; i < 10; ++i) {
    TinyFault none;
    none.seeds_from = (10 * GetParam() + i) * 1000;
    ASSERT_THAT(run_twin(tiny(none)), ResumesExactly()) << "seeds from " << none.seeds_from;
  }
}

INSTANTIATE_TEST_SUITE_P(Tens, SoundTwins, ::testing::Range(std::uint64_t{0}, std::uint64_t{10}));

TEST(Twins, SayTheSameEachTime) {
  TinyFault fault;
  fault.saved.leave_out = {"rng/torch.cpu"};
  const auto text = [&] {
    Report report = run_twin(tiny(fault)).report;
    for (LegReport& leg : report.legs) leg.seconds = 0;
    return report_to_json(report);
  };
  EXPECT_EQ(text(), text());
}

TEST(Twins, LeaveTheRandomStreamsOfTheCallerAlone) {
  at::Generator generator = at::detail::getDefaultCPUGenerator();
  const at::Tensor before = generator.get_state();
  run_twin(tiny());
  EXPECT_TRUE(at::equal(generator.get_state(), before));
}

TEST(Twins, FindARandomStreamThatWasNotSaved) {
  TinyFault fault;
  fault.saved.leave_out = {"rng/torch.cpu"};
  const Twin twin = run_twin(tiny(fault));
  EXPECT_THAT(twin, Not(ResumesExactly()));
  EXPECT_THAT(confirmed_in(twin), ElementsAre("rng/torch.cpu missing"));
  ASSERT_TRUE(twin.report.divergence);
  EXPECT_EQ(twin.report.divergence->first.phase, "forward:net");
}

TEST(Twins, FindWhatIsOverwrittenAfterTheRestore) {
  TinyFault fault;
  fault.after_restore = [](TinyTwin& twin) {
    static_cast<::torch::optim::AdamWOptions&>(twin.trainer.optimizer->param_groups()[0].options())
        .weight_decay(0.01);
  };
  const Twin twin = run_twin(tiny(fault));
  EXPECT_THAT(confirmed_in(twin), ElementsAre("optimizer/param_groups/0/weight_decay overwritten"));
  EXPECT_THAT(twin.report.divergence->first.phase, StartsWith("optimizer:model/"));
}

TEST(Twins, FindStateThatDiffersLongBeforeTheStepsDo) {
  TinyFault fault;
  fault.after_restore = [](TinyTwin& twin) { twin.trainer.scale *= 2; };
  const Twin twin = run_twin(tiny(fault));
  EXPECT_EQ(twin.report.verdict, Verdict::diverged);
  EXPECT_THAT(confirmed_in(twin), ElementsAre("grad_scaler/scale overwritten"));
  EXPECT_FALSE(twin.report.divergence);
  EXPECT_THAT(twin.report.reason, HasSubstr("latent"));
}

TEST(Twins, SayThatARestoreDidNothing) {
  TinyFault fault;
  fault.without_restore = true;
  const Twin twin = run_twin(tiny(fault));
  EXPECT_EQ(twin.report.verdict, Verdict::diverged);
  EXPECT_THAT(confirmed_in(twin), Contains("model/first.weight not_applied"));
}

TEST(Twins, AreUndecidedWhenNothingMoves) {
  TinyFault fault;
  fault.before_step = [](TinyTwin& twin) {
    for (auto& parameter : twin.trainer.net->parameters()) parameter.set_requires_grad(false);
    twin.trainer.net->first->bias.set_requires_grad(true);
    twin.trainer.net->first->bias.detach().zero_();
    static_cast<::torch::optim::AdamWOptions&>(twin.trainer.optimizer->param_groups()[0].options())
        .lr(0);
    twin.trainer.net->eval();
  };
  const Twin twin = run_twin(tiny(fault));
  EXPECT_EQ(twin.report.verdict, Verdict::undecided);
  EXPECT_THAT(twin, Not(ResumesExactly()));
}

TEST(Twins, AreUndecidedWhenTheResumedRunDoesNotRepeatItself) {
  TinyFault fault;
  auto count = std::make_shared<int>(0);
  fault.before_step = [count](TinyTwin& twin) {
    const c10::AutoGradMode no_grad(false);
    if (twin.resumed) twin.trainer.net->last->bias.add_(1e-3 * ++*count);
  };
  const Twin twin = run_twin(tiny(fault));
  EXPECT_NE(twin.report.verdict, Verdict::same);
}

/// State that nobody watches: the resumed trainer has another one.
TinyFault hidden_state() {
  TinyFault fault;
  fault.before_step = [](TinyTwin& twin) {
    const c10::AutoGradMode no_grad(false);
    if (twin.resumed) twin.trainer.net->first->weight.mul_(1.001);
  };
  return fault;
}

TEST(Twins, SayThatStateIsHiddenWhereAllThatIsWatchedIsEqual) {
  TinyFault fault;
  fault.before_step = [](TinyTwin& twin) {
    // After its first forward: the state at begin is equal.
    if (!twin.resumed) return;
    twin.trainer.net->drop->options.p(0.5);
  };
  const Twin twin = run_twin(tiny(fault));
  EXPECT_EQ(twin.report.verdict, Verdict::diverged);
  EXPECT_THAT(twin.report.reason, HasSubstr("all watched state is equal"));
  EXPECT_EQ(twin.report.divergence->first.phase, "forward:net");
}

TEST(Twins, PerStepShowHiddenStateInEachStepAndLostStateInOne) {
  const Twin hidden = run_twin(tiny(hidden_state()), in_mode(TwinMode::per_step));
  EXPECT_THAT(partings_in(hidden),
              ElementsAre(StartsWith("4 "), StartsWith("5 "), StartsWith("6 ")));
  TinyFault lost;
  lost.saved.leave_out = {"rng/torch.cpu"};
  const Twin once = run_twin(tiny(lost), in_mode(TwinMode::per_step));
  EXPECT_THAT(partings_in(once), ElementsAre("4 begin rng/torch.cpu"));
}

TEST(Twins, InLockStepShowOnlyWhereADifferenceArises) {
  TinyFault lost;
  lost.saved.leave_out = {"rng/torch.cpu"};
  const Twin twin = run_twin(tiny(lost), in_mode(TwinMode::lock_step));
  EXPECT_THAT(partings_in(twin), ElementsAre("4 begin rng/torch.cpu"));
  ASSERT_EQ(twin.report.cause.size(), 1u);
  EXPECT_EQ(twin.report.cause[0].field, "rng/torch.cpu");
  EXPECT_THAT(confirmed_in(twin), ElementsAre("rng/torch.cpu missing"));
}

TEST(Twins, InLockStepPutForwardLossAndGradientsBack) {
  TinyFault fault;
  fault.before_step = [](TinyTwin& twin) {
    if (twin.resumed) twin.trainer.net->drop->options.p(0.5);
  };
  const Twin twin = run_twin(tiny(fault), in_mode(TwinMode::lock_step));
  // The output is put back, so the loss is the same; the gradients inside went another way.
  EXPECT_THAT(partings_in(twin),
              AllOf(Contains("4 forward:net forward:net"), Contains("6 forward:net forward:net"),
                    Not(Contains(HasSubstr(" loss ")))));
  EXPECT_THAT(partings_in(twin), Not(Contains(HasSubstr("optimizer:"))));
  EXPECT_THAT(twin.report.cause, IsEmpty());
}

TEST(Twins, TakeAWaiverForADifferenceThatIsAccepted) {
  TinyFault fault;
  fault.after_restore = [](TinyTwin& twin) { twin.trainer.scale *= 2; };
  TwinOptions options;
  options.waivers = {{"grad_scaler/*", "the scale is found again in a step", "me", "2999-01-01"}};
  EXPECT_THAT(run_twin(tiny(fault), options), ResumesExactly());
}

TEST(Twins, RefuseWhatTheyCannotCompare) {
  TwinOptions options;
  options.steps = 0;
  EXPECT_THROW(run_twin(tiny(), options), Error);
  options.steps = 1;
  options.at = 0;
  EXPECT_THROW(run_twin(tiny(), options), Error);
}

TEST(Twins, ThrowWhatTheTrainerThrowsAndLeaveTheStreamsAlone) {
  at::Generator generator = at::detail::getDefaultCPUGenerator();
  const at::Tensor before = generator.get_state();
  TinyFault fault;
  fault.after_restore = [](TinyTwin&) { throw std::runtime_error("no such file"); };
  EXPECT_THROW(run_twin(tiny(fault)), std::runtime_error);
  EXPECT_TRUE(at::equal(generator.get_state(), before));
}

}  // namespace
}  // namespace samestep::libtorch
