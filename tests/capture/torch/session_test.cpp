// A C++ trainer under a plan leaves the records that a Python one leaves.
#include "capture/torch/session.h"

#include <ATen/ops/ones.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/version.h>

#include <algorithm>
#include <cstdlib>

#include "capture/run_reader.h"
#include "capture/torch/bundle.h"
#include "capture/torch/observer.h"
#include "resume_check/op_records.h"
#include "schemas/error.h"
#include "schemas/json/plan_json.h"
#include "tests/capture/torch/tiny_trainer.h"
#include "tests/support/temporary_folder.h"

namespace samestep::libtorch {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

Session::Options in_process() {
  Session::Options options;
  options.return_when_done = options.rethrow = true;
  return options;
}

class Sessions : public ::testing::Test {
 protected:
  ~Sessions() override { ::unsetenv("SAMESTEP_PLAN"); }

  Plan plan(const std::string& leg, std::int64_t start) {
    Plan made;
    made.leg = leg;
    made.run = folder_ / leg;
    made.start = start;
    made.at = 4;
    made.steps = 3;
    return made;
  }

  void obey(const Plan& made) {
    folder_.write(made.leg + ".json", plan_to_json(made));
    ::setenv("SAMESTEP_PLAN", (folder_ / (made.leg + ".json")).c_str(), 1);
  }

  /// Trains until the session says stop, or for so many steps; saves at step 4.
  void train(TinyTrainer& trainer, Session& session, int steps) {
    trainer.watch_all(session.probes());
    if (trainer.cursor == 0 && session.is_recording() && resumes_)
      restore(folder_ / "state.samestep", session);
    while (trainer.cursor < steps) {
      if (!session.begin_step({trainer.centre})) return;
      trainer.step();
      if (!session.end_step()) return;
      if (trainer.cursor == 4 && !resumes_) {
        save(folder_ / "state.samestep", session);
        session.checkpoint_written(folder_ / "state.samestep");
      }
    }
  }

  RankRecord leg(const std::string& name, std::int64_t start, std::uint64_t seed, int steps = 20) {
    return leg(plan(name, start), seed, steps);
  }

  RankRecord leg(const Plan& made, std::uint64_t seed, int steps = 20) {
    obey(made);
    resumes_ = made.start > 0;
    {
      TinyTrainer trainer(adamw_kind(), seed);
      Session session(in_process());
      train(trainer, session, steps);
    }
    return read_run(folder_ / made.leg).at(0);
  }

  TemporaryFolder folder_;
  bool resumes_ = false;
};

TEST_F(Sessions, WithoutAPlanRecordNothing) {
  ::unsetenv("SAMESTEP_PLAN");
  TinyTrainer trainer;
  Session session;
  EXPECT_FALSE(session.is_recording());
  train(trainer, session, 3);
  EXPECT_EQ(trainer.cursor, 3);
}

TEST_F(Sessions, ResumedLegHasTheRecordsOfTheUninterruptedOne) {
  const RankRecord one = leg("uninterrupted", 0, 7), other = leg("resumed", 4, 8);
  ASSERT_TRUE(one.capture && other.capture);
  EXPECT_EQ(one.capture->completed, 4);
  EXPECT_EQ(other.capture->completed, 4);
  EXPECT_TRUE(one.log.closed && other.log.closed);
  EXPECT_THAT(differing(one.tree, other.tree), ::testing::Each(StartsWith("gradients/")));
  EXPECT_EQ(one.log.begins.back().completed, 7);
  EXPECT_EQ(one.log.begins.back().fields, other.log.begins.back().fields);
}

TEST_F(Sessions, TraceEachStepInCausalOrder) {
  const RankRecord record = leg("uninterrupted", 0, 7);
  std::vector<std::string> phases;
  for (const LogTrace& trace : record.log.traces)
    if (trace.completed == 5) phases.push_back(trace.phase.substr(0, trace.phase.find(':')));
  phases.erase(std::unique(phases.begin(), phases.end()), phases.end());
  EXPECT_THAT(phases, ::testing::ElementsAre("batch", "grad", "optimizer"));
}

TEST_F(Sessions, TraceTheOperatorsOfOneStep) {
  Plan made = plan("uninterrupted", 0);
  made.operators_at = 5;
  const OpRecords traced = operators_of(leg(made, 7).log);
  EXPECT_TRUE(traced.traced);
  EXPECT_EQ(traced.error, "");
  std::map<std::string, int> phases;
  for (const OpRecord& one : traced.operators) ++phases[one.phase];
  EXPECT_GE(phases["forward"], 5);    // three layers, a dropout, an activation
  EXPECT_GE(phases["backward"], 5);   // and their derivatives
  EXPECT_GE(phases["optimizer"], 6);  // of six parameters
  EXPECT_EQ(phases["between"], 0) << "what the recorder does there is no part of the training";
}

TEST_F(Sessions, TraceOperatorsToTheEndOfATrainingThatEnds) {
  Plan made = plan("uninterrupted", 0);
  made.operators_at = 5;
  const OpRecords traced = operators_of(leg(made, 7, 6).log);
  EXPECT_TRUE(traced.traced);
  EXPECT_FALSE(traced.operators.empty());
}

TEST_F(Sessions, TraceTheSameOperatorsInTheResumedLeg) {
  Plan one = plan("uninterrupted", 0), other = plan("resumed", 4);
  one.operators_at = other.operators_at = 5;
  const OpRecords a = operators_of(leg(one, 7).log), b = operators_of(leg(other, 8).log);
  ASSERT_EQ(a.operators.size(), b.operators.size());
  for (std::size_t i = 0; i < a.operators.size(); ++i) {
    EXPECT_EQ(a.operators[i].full_name(), b.operators[i].full_name());
    ASSERT_EQ(a.operators[i].outputs.size(), b.operators[i].outputs.size());
    for (std::size_t k = 0; k < a.operators[i].outputs.size(); ++k)
      EXPECT_EQ(a.operators[i].outputs[k].digest, b.operators[i].outputs[k].digest)
          << a.operators[i].full_name();
  }
}

TEST_F(Sessions, TellGradientsThatAreClearedBeforeUse) {
  const RankRecord record = leg("uninterrupted", 0, 7);
  EXPECT_THAT(record.log.dead_gradients, Contains("gradients/first.weight"));
  EXPECT_THAT(record.log.dead_gradients, SizeIs(6));
}

TEST_F(Sessions, TellWhatARestoreLeft) {
  leg("uninterrupted", 0, 7);
  const RankRecord record = leg("resumed", 4, 8);
  EXPECT_TRUE(record.log.loaded.contains("lr_scheduler/last_epoch"));
  EXPECT_TRUE(record.log.loaded.contains("optimizer/state/first.weight/exp_avg"));
}

TEST_F(Sessions, TellStreamsAndCursorsAsTheyWereAtASave) {
  const RankRecord record = leg("uninterrupted", 0, 7);
  const auto saved = std::ranges::find(record.log.events, "save", &LogEvent::name);
  ASSERT_NE(saved, record.log.events.end());
  // The trainer draws its batch after the begin: here they are those of the capture.
  const auto digest_at = [&](const char* path) {
    return record.tree.find(FieldPath(path))->field.digest->hex();
  };
  EXPECT_THAT(saved->json, HasSubstr("\"rng/torch.cpu\":\"" + digest_at("rng/torch.cpu")));
  EXPECT_THAT(saved->json, HasSubstr("\"dataloader/sampler/indices\":\"" +
                                     digest_at("dataloader/sampler/indices")));
  EXPECT_THAT(saved->json, Not(HasSubstr("next_batch")));
}

TEST_F(Sessions, RecordTheEndOfATrainingThatEndsAtTheLastBoundary) {
  const RankRecord record = leg("uninterrupted", 0, 7, 7);
  EXPECT_EQ(record.log.begins.back().phase, "end");
  EXPECT_EQ(record.log.begins.back().completed, 7);
  EXPECT_TRUE(record.log.closed);
}

TEST_F(Sessions, SayWhatElseDecidesBits) {
  const RankRecord record = leg("uninterrupted", 0, 7);
  std::map<std::string, std::string> clauses;
  for (const Clause& clause : record.capture->contract.clauses) clauses[clause.name] = clause.value;
  EXPECT_EQ(clauses["torch.version"], "\"" TORCH_VERSION "\"");
  EXPECT_EQ(clauses["optimizer.class"], "\"torch::optim::AdamW\"");
  EXPECT_TRUE(clauses.contains("torch.num_threads"));
  EXPECT_TRUE(clauses.contains("program.digest"));
}

TEST_F(Sessions, ThatCannotOpenTheirPlanLetTrainingGoOn) {
  ::setenv("SAMESTEP_PLAN", (folder_ / "none.json").c_str(), 1);
  ::testing::internal::CaptureStderr();
  Session session;
  EXPECT_FALSE(session.is_recording());
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("samestep: not recording"));
  EXPECT_THROW(Session{in_process()}, Error);
}

/// Writes down what it hears.
struct Heard final : Observer {
  void begin(at::ArrayRef<at::Tensor>) override { words.push_back("begin"); }
  void end() noexcept override { words.push_back("end"); }
  void loss(const at::Tensor&) override { words.push_back("loss"); }
  void forward(const std::string& module, const at::Tensor&) override { words.push_back(module); }
  void restored(const std::string& path) override { words.push_back(path); }
  std::vector<std::string> words;
};

TEST_F(Sessions, TellAnObserverAndGiveTensorsBack) {
  ::unsetenv("SAMESTEP_PLAN");
  Session session;
  Heard heard;
  session.observe(&heard);
  const at::Tensor one = at::ones({1});
  {
    Step step = session.step({one});
    EXPECT_TRUE(step.forward("head", one).is_same(one));
    EXPECT_TRUE(step.loss(one).is_same(one));
  }
  session.restored("a");
  session.observe(nullptr);
  session.end_step();
  EXPECT_THAT(heard.words, ::testing::ElementsAre("begin", "head", "loss", "end", "a"));
}

TEST_F(Sessions, SaveDrawsNoRandomNumber) {
  ::unsetenv("SAMESTEP_PLAN");
  TinyTrainer trainer;
  trainer.steps(2);
  const StateTree before = trainer.snapshot();
  save(folder_ / "state.samestep", trainer.probes);
  EXPECT_THAT(differing(before, trainer.snapshot()), ::testing::IsEmpty());
}

}  // namespace
}  // namespace samestep::libtorch
