// Several ranks under one plan, and a recorder that must not harm the training.
#include "capture/torch/recorder.h"

#include <ATen/ops/ones.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "capture/run_reader.h"
#include "schemas/error.h"
#include "schemas/json/plan_json.h"
#include "tests/capture/torch/tiny_trainer.h"
#include "tests/support/temporary_folder.h"

namespace samestep::libtorch {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class Recorders : public ::testing::Test {
 protected:
  Recorders() {
    plan_.leg = "uninterrupted";
    plan_.run = folder_ / "run";
    plan_.at = 2;
    plan_.steps = 2;
  }
  ~Recorders() override { ::unsetenv("SAMESTEP_PLAN"); }

  void obey() {
    folder_.write("plan.json", plan_to_json(plan_));
    ::setenv("SAMESTEP_PLAN", (folder_ / "plan.json").c_str(), 1);
  }

  static Session::Options options_of(int rank, int size) {
    Session::Options options;
    options.rank = rank;
    options.world_size = size;
    options.return_when_done = true;
    return options;
  }

  static void train(Session& session, TinyTrainer& trainer) {
    trainer.watch_all(session.probes());
    bool goes_on = true;
    while (goes_on && trainer.cursor < 9) {
      goes_on = session.begin_step({trainer.centre});
      if (!goes_on) return;
      trainer.step();
      goes_on = session.end_step();
    }
  }

  TemporaryFolder folder_;
  Plan plan_;
};

TEST_F(Recorders, OfSeveralRanksLeaveOneRunWithARecordOfEach) {
  obey();
  for (int rank = 0; rank < 3; ++rank) {
    TinyTrainer trainer(adamw_kind(), 7 + static_cast<std::uint64_t>(rank));
    Session session(options_of(rank, 3));
    EXPECT_EQ(session.rank().rank, rank);
    train(session, trainer);
  }
  const auto records = read_run(plan_.run);
  ASSERT_THAT(records, SizeIs(3));
  for (const RankRecord& record : records) {
    ASSERT_TRUE(record.capture) << record.rank;
    EXPECT_EQ(record.capture->boundary.rank, record.rank);
    EXPECT_EQ(record.capture->world_size, 3);
    EXPECT_TRUE(record.log.closed);
  }
  EXPECT_NE(*records[0].tree.find(FieldPath("model/first.weight"))->field.digest,
            *records[1].tree.find(FieldPath("model/first.weight"))->field.digest);
}

TEST_F(Recorders, OfARankThatCannotBeLetTrainingGoOnAndSayWhatToSet) {
  obey();
  ::testing::internal::CaptureStderr();
  Session session(options_of(3, 2));
  const std::string said = ::testing::internal::GetCapturedStderr();
  EXPECT_FALSE(session.is_recording());
  EXPECT_THAT(said, HasSubstr("there is no rank 3 of 2"));
  EXPECT_THAT(said, HasSubstr("set RANK and WORLD_SIZE both"));
}

TEST_F(Recorders, OfARankThatIsTakenLetTrainingGoOn) {
  obey();
  Session first(options_of(0, 1));
  Session second(options_of(0, 1));
  EXPECT_TRUE(first.is_recording());
  EXPECT_FALSE(second.is_recording());
  EXPECT_TRUE(second.begin_step());
  EXPECT_TRUE(second.end_step());
}

TEST_F(Recorders, ThatCannotReadAFieldLeaveItOutAndSayWhy) {
  obey();
  {
    TinyTrainer trainer;
    at::Tensor sparse = at::ones({2, 2}).to_sparse();
    Session session(options_of(0, 1));
    session.watch("sparse", &sparse);
    train(session, trainer);
    EXPECT_EQ(trainer.cursor, 4);
  }
  const auto records = read_run(plan_.run);
  ASSERT_TRUE(records.at(0).capture);
  EXPECT_NE(records[0].tree.find(FieldPath("model/first.weight")), nullptr);
  int told = 0;
  for (const LogEvent& event : records[0].log.events) told += event.name == "recorder_error";
  EXPECT_GT(told, 0);
}

}  // namespace
}  // namespace samestep::libtorch
