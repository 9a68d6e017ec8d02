// Captures written beside the step: equal to those of the foreground, or given up aloud.
#include "capture/torch/background_capture.h"

#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "capture/run_reader.h"
#include "capture/torch/bundle.h"
#include "schemas/error.h"
#include "schemas/json/plan_json.h"
#include "tests/capture/torch/stand_in_device.h"
#include "tests/capture/torch/tiny_trainer.h"
#include "tests/checkpoint/byte_helpers.h"
#include "tests/checkpoint/files/limits.h"
#include "tests/support/temporary_folder.h"

namespace samestep::libtorch {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::int64_t kAt = 2;
constexpr const char* kWeight = "model/0.weight";

/// A layer whose parameters and buffer are made on a device.
struct PlacedLayerImpl : ::torch::nn::Module {
  explicit PlacedLayerImpl(at::Device device)
      : weight(register_parameter("weight", at::randn({400, 64}).to(device))),
        bias(register_parameter("bias", at::randn({400}).to(device))),
        seen(register_buffer("seen", at::zeros({1}).to(device))) {}

  at::Tensor forward(const at::Tensor& batch) {
    const c10::AutoGradMode no_grad(false);
    seen.add_(1);
    const c10::AutoGradMode grad(true);
    return at::linear(batch, weight, bias);
  }

  at::Tensor weight, bias, seen;
};
TORCH_MODULE(PlacedLayer);

/// Parameters that are long enough to be lent, and buffers that the forward changes.
struct WideTrainer {
  explicit WideTrainer(const OptimizerKind& kind = adamw_kind(), at::Device on = at::kCPU)
      : net(seeded_net(on)), device(on), optimizer(kind.make(net->parameters())) {}

  static ::torch::nn::Sequential seeded_net(at::Device device) {
    ::torch::manual_seed(3);
    if (!device.is_cpu()) return ::torch::nn::Sequential(PlacedLayer(device));
    return ::torch::nn::Sequential(::torch::nn::Linear(64, 400), ::torch::nn::BatchNorm1d(400),
                                   ::torch::nn::Dropout(0.5), ::torch::nn::Linear(400, 300),
                                   ::torch::nn::Linear(300, 2));
  }

  at::Tensor weight() { return net->parameters().at(0); }

  bool step(Session& session) {
    const at::Tensor batch = at::randn({8, 64});
    if (before_begin && done == kAt) before_begin(*this);
    if (!session.begin_step({batch})) return false;
    if (done == kAt && in_the_step) in_the_step(*this, session);
    if (tells && !(done == kAt && forgets_once)) session.before_optimizer_step();
    optimizer->step([&] {
      optimizer->zero_grad();
      at::Tensor loss = session.loss(net->forward(batch.to(device)).square().mean());
      loss.backward();
      return loss;
    });
    ++done;
    return session.end_step();
  }

  ::torch::nn::Sequential net;
  at::Device device;
  std::unique_ptr<::torch::optim::Optimizer> optimizer;
  std::int64_t done = 0;
  bool tells = true, forgets_once = false;
  std::function<void(WideTrainer&)> before_begin;           // of the capture
  std::function<void(WideTrainer&, Session&)> in_the_step;  // of the capture
};

class BackgroundCaptures : public ::testing::Test {
 protected:
  // Two trainings are compared bit for bit: MKL takes as many threads as are idle at the moment,
  // and sums in another order with another number.
  BackgroundCaptures() { at::set_num_threads(1); }
  ~BackgroundCaptures() override {
    at::set_num_threads(threads_);
    ::unsetenv("SAMESTEP_PLAN");
  }

  RankRecord train(WideTrainer trainer, const std::string& leg = "run", bool background = true) {
    Plan plan;
    plan.leg = leg;
    plan.run = folder_ / leg;
    plan.at = kAt;
    plan.steps = 2;
    plan.background = background;
    folder_.write("plan.json", plan_to_json(plan));
    ::setenv("SAMESTEP_PLAN", (folder_ / "plan.json").c_str(), 1);
    ::torch::manual_seed(5);
    ::testing::internal::CaptureStderr();
    {
      Session::Options options;
      options.return_when_done = true;
      options.rethrow = rethrows_;
      Session session(options);
      session.watch("model", trainer.net);
      session.watch("optimizer", *trainer.optimizer);
      run(trainer, session);
    }
    said_ = ::testing::internal::GetCapturedStderr();
    steps_made_ = trainer.done;
    return read_run(plan.run).at(0);
  }

  void run(WideTrainer& trainer, Session& session) {
    for (bool goes_on = true; goes_on && trainer.done < 9;) {
      try {
        goes_on = trainer.step(session);
      } catch (const Error& error) {
        thrown_.emplace_back(error.what());
      }
    }
  }

  /// The packs of the capture with their bytes.
  std::map<std::string, std::string> packs_of(const std::string& leg) const {
    std::map<std::string, std::string> packs;
    for (const auto& file : std::filesystem::recursive_directory_iterator(folder_ / leg))
      if (file.path().extension() == ".pack")
        packs.emplace(file.path().filename(), file_text(file.path()));
    return packs;
  }

  void expect_dropped(const RankRecord& record, const std::string& field) const {
    EXPECT_FALSE(record.capture);
    EXPECT_THAT(packs_of("run"), IsEmpty());
    std::map<std::string, std::string> events;
    for (const LogEvent& event : record.log.events) events[event.name] += event.json;
    EXPECT_THAT(events["recorder_error"], HasSubstr(field));
    EXPECT_THAT(said_, HasSubstr("samestep: capture in the background: "));
    EXPECT_THAT(said_, HasSubstr(field));
    EXPECT_TRUE(record.log.closed);
    EXPECT_EQ(steps_made_, kAt + 2) << "the plan is obeyed to its end";
  }

  static void expect_equal(const RankRecord& one, const RankRecord& other) {
    ASSERT_TRUE(one.capture && other.capture);
    EXPECT_THAT(differing(one.tree, other.tree), IsEmpty());
    EXPECT_EQ(one.log.begins.size(), other.log.begins.size());
    EXPECT_TRUE(one.log.begins.back().fields == other.log.begins.back().fields);
    EXPECT_EQ(one.log.dead_gradients, other.log.dead_gradients);
  }

  const int threads_ = at::get_num_threads();
  TemporaryFolder folder_;
  bool rethrows_ = false;
  std::string said_;
  std::vector<std::string> thrown_;
  std::int64_t steps_made_ = 0;
};

class BackgroundCapturesOfEachOptimizer : public BackgroundCaptures,
                                          public ::testing::WithParamInterface<std::size_t> {
 protected:
  static WideTrainer trainer() { return WideTrainer(optimizer_kinds()[GetParam()]); }
};

TEST_P(BackgroundCapturesOfEachOptimizer, AreByteForByteThoseOfTheForeground) {
  const RankRecord before = train(trainer(), "foreground", false), beside = train(trainer());
  EXPECT_EQ(said_, "");
  expect_equal(before, beside);
  EXPECT_TRUE(packs_of("foreground") == packs_of("run"));
}

TEST_P(BackgroundCapturesOfEachOptimizer, AreRightOrGivenUpWhereItStepsBeforeTheCall) {
  WideTrainer early = trainer();
  early.forgets_once = true;
  const RankRecord before = train(trainer(), "foreground", false), beside = train(std::move(early));
  if (beside.capture)  // all was read by the time of the loss
    expect_equal(before, beside);
  else
    expect_dropped(beside, "weight");
}

INSTANTIATE_TEST_SUITE_P(Optimizers, BackgroundCapturesOfEachOptimizer,
                         ::testing::Range(std::size_t{0}, optimizer_kinds().size()),
                         [](const auto& test) { return optimizer_kinds()[test.param].name; });

TEST_F(BackgroundCaptures, OfATrainerThatNeverCallsTheBarrierAreTheSame) {
  WideTrainer silent;
  silent.tells = false;
  const RankRecord before = train(WideTrainer(), "foreground", false),
                   beside = train(std::move(silent));
  EXPECT_EQ(said_, "");
  expect_equal(before, beside);
  EXPECT_TRUE(packs_of("foreground") == packs_of("run"));
}

TEST_F(BackgroundCaptures, AreGivenUpWhereAParameterIsWrittenToTooEarly) {
  WideTrainer early;
  early.in_the_step = [](WideTrainer& it, Session&) {
    const c10::AutoGradMode no_grad(false);
    it.weight()[5][5].zero_();
  };
  const RankRecord record = train(std::move(early));
  expect_dropped(record, kWeight);
  std::vector<std::string> dropped;
  for (const LogEvent& event : record.log.events)
    if (event.name == "capture_dropped") dropped.push_back(event.json);
  EXPECT_THAT(dropped, ::testing::ElementsAre(R"({"fields":["model/0.weight"]})"));
}

TEST_F(BackgroundCaptures, AreGivenUpWhereAParameterIsGivenOtherMemory) {
  WideTrainer early;
  early.in_the_step = [](WideTrainer& it, Session&) { it.weight().set_data(it.weight() * 2); };
  expect_dropped(train(std::move(early)), kWeight);
}

TEST_F(BackgroundCaptures, AreGivenUpWhereAllOfAParameterIsChangedUncounted) {
  WideTrainer early;
  early.in_the_step = [](WideTrainer& it, Session&) { it.weight().data().mul_(2); };
  expect_dropped(train(std::move(early)), kWeight);
}

TEST_F(BackgroundCaptures, MayBeFollowedByAnyChangeOnceTheBarrierIsPassed) {
  WideTrainer late;
  late.in_the_step = [](WideTrainer& it, Session& session) {
    session.before_optimizer_step();
    it.weight().data().mul_(2);
  };
  const RankRecord before = train(WideTrainer(), "foreground", false),
                   beside = train(std::move(late));
  EXPECT_EQ(said_, "");
  ASSERT_TRUE(before.capture && beside.capture);
  EXPECT_THAT(differing(before.tree, beside.tree), IsEmpty());
}

class BackgroundCapturesAfterAChange : public BackgroundCaptures,
                                       public ::testing::WithParamInterface<bool> {
 protected:
  static at::Tensor handle(WideTrainer& it) {
    return GetParam() ? it.weight().detach() : it.weight().data();
  }
};

TEST_P(BackgroundCapturesAfterAChange, CopyThatFieldAtOnce) {
  WideTrainer again;
  at::Tensor then;
  again.in_the_step = [&](WideTrainer& it, Session& session) {
    handle(it).mul_(2);
    then = it.weight().detach().clone();
    session.checkpoint_written("a");
    session.begin_step();  // the save came inside the window: captured anew
    handle(it).mul_(2);
  };
  const RankRecord record = train(std::move(again));
  EXPECT_THAT(said_, HasSubstr(kWeight));
  ASSERT_TRUE(record.capture) << said_;
  const auto* entry = record.tree.find(FieldPath(kWeight));
  ASSERT_NE(entry, nullptr);
  const auto held = streamed_as<float>(*entry->bytes);
  EXPECT_EQ(held, std::vector<float>(then.const_data_ptr<float>(),
                                     then.const_data_ptr<float>() + then.numel()));
}

INSTANTIATE_TEST_SUITE_P(Changes, BackgroundCapturesAfterAChange, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "Counted" : "Uncounted"; });

TEST_F(BackgroundCaptures, AreNotHarmedByARestoreInsideTheStep) {
  WideTrainer source;
  Probes probes(false);
  probes.watch("model", source.net);
  probes.watch("optimizer", *source.optimizer);
  const BundleOptions options{{"rng"}, false, OnOtherContract::ignore};
  save(folder_ / "state.samestep", probes, options);
  WideTrainer restored;
  restored.in_the_step = [&](WideTrainer&, Session& session) {
    restore(folder_ / "state.samestep", session, options);
  };
  const RankRecord before = train(WideTrainer(), "foreground", false),
                   beside = train(std::move(restored));
  EXPECT_EQ(said_, "");
  ASSERT_TRUE(before.capture && beside.capture);
  EXPECT_THAT(differing(before.tree, beside.tree), IsEmpty());
}

TEST_F(BackgroundCaptures, ThatCannotBeWrittenAreToldAndTrainingGoesOn) {
  {
    const FileSizeLimit full(100'000);
    EXPECT_FALSE(train(WideTrainer()).capture);
  }
  EXPECT_THAT(said_, HasSubstr("samestep: capture in the background: "));
  EXPECT_EQ(steps_made_, kAt + 2);
}

TEST_F(BackgroundCaptures, ThrowTheirErrorOnceWhereThatIsAsked) {
  rethrows_ = true;
  const FileSizeLimit full(100'000);
  train(WideTrainer());
  EXPECT_THAT(thrown_, SizeIs(1)) << said_;
  EXPECT_GE(steps_made_, kAt + 2);
}

class BackgroundCapturesOfADevice : public BackgroundCaptures {
 protected:
  static WideTrainer trainer() { return WideTrainer(adamw_kind(), stand_in::kDevice); }
};

TEST_F(BackgroundCapturesOfADevice, AreByteForByteThoseOfTheForeground) {
  const RankRecord before = train(trainer(), "foreground", false), beside = train(trainer());
  EXPECT_EQ(said_, "");
  expect_equal(before, beside);
  EXPECT_EQ(before.tree.find(FieldPath(kWeight))->field.layout.device, stand_in::kDevice.str());
  EXPECT_TRUE(packs_of("foreground") == packs_of("run"));
}

TEST_F(BackgroundCapturesOfADevice, HoldWhatWasAskedBeforeTheBeginAndDoNotWaitForIt) {
  const auto with_late_work = [this](const std::string& leg, bool background) {
    WideTrainer late = trainer();
    std::size_t waits = 0;
    late.before_begin = [&](WideTrainer& it) {
      stand_in::ask_to_write(it.weight(), 8);
      stand_in::ask_to_write(it.net->buffers().at(0), 9);
      waits = stand_in::waits_for_the_trainer();
    };
    late.in_the_step = [&](WideTrainer&, Session&) {
      waits = stand_in::waits_for_the_trainer() - waits;
    };
    RankRecord record = train(std::move(late), leg, background);
    EXPECT_EQ(said_, "");
    return std::pair(std::move(record), waits);
  };
  const auto [before, waits_before] = with_late_work("foreground", false);
  const auto [beside, waits_beside] = with_late_work("run", true);
  expect_equal(before, beside);
  EXPECT_GT(waits_before, 0U);
  EXPECT_EQ(waits_beside, 0U);
  EXPECT_EQ(streamed_as<float>(*beside.tree.find(FieldPath(kWeight))->bytes)[0], 8);
}

TEST_F(BackgroundCapturesOfADevice, AreGivenUpWhereAParameterIsWrittenToTooEarly) {
  WideTrainer early = trainer();
  early.in_the_step = [](WideTrainer& it, Session&) {
    const c10::AutoGradMode no_grad(false);
    it.weight().mul_(2);
  };
  expect_dropped(train(std::move(early)), kWeight);
}

TEST_F(BackgroundCapturesOfADevice, AreReadAtOnceWhereItHasNoRoomForCopies) {
  WideTrainer full = trainer();
  full.before_begin = [](WideTrainer&) { stand_in::be_full_after(0); };
  full.in_the_step = [](WideTrainer&, Session&) { stand_in::be_full_after(-1); };
  const RankRecord before = train(trainer(), "foreground", false), beside = train(std::move(full));
  EXPECT_EQ(said_, "");
  expect_equal(before, beside);
}

TEST(WithoutAPlan, TheBarrierDoesNothing) {
  ::unsetenv("SAMESTEP_PLAN");
  Session session;
  session.before_optimizer_step();
  Step step = session.step();
  step.before_optimizer_step();
}

}  // namespace
}  // namespace samestep::libtorch
