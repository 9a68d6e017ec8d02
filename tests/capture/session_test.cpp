// A trainer obeys a session: what is recorded, where it stops, and what a reader finds afterwards.
#include "capture/session.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/run_folder.h"
#include "checkpoint/hasher.h"
#include "schemas/error.h"
#include "session_fixture.h"

namespace samestep {
namespace {

using testing::ElementsAre;

std::vector<std::int64_t> completed_of(const StepLog& log) {
  std::vector<std::int64_t> steps;
  for (const LogBegin& begin : log.begins) steps.push_back(begin.completed);
  return steps;
}

TEST_F(SessionTest, CapturesAtTheAskedStepAndStopsAfterTheLastBoundary) {
  plan.at = 2;
  plan.steps = 3;
  EXPECT_EQ(train(*open(), 100), 5);
  const RankRecord record = only_record();
  ASSERT_TRUE(record.capture);
  EXPECT_EQ(record.capture->completed, 2);
  EXPECT_EQ(record.capture->boundary.step, 3);
  EXPECT_THAT(completed_of(record.log), ElementsAre(0, 1, 2, 3, 4, 5));
  ASSERT_EQ(record.log.traces.size(), 3U);
  EXPECT_EQ(record.log.traces[0].completed, 2);
  EXPECT_EQ(record.log.leg, "uninterrupted");
}

TEST_F(SessionTest, ACaptureHoldsTheBytesAndValuesOfItsFields) {
  plan.at = 1;
  train(*open(), 2);
  const RankRecord record = only_record();
  const StateEntry* weight = record.tree.find(FieldPath("model/weight"));
  ASSERT_NE(weight, nullptr);
  ASSERT_NE(weight->bytes, nullptr);
  const auto bytes = weight->bytes->contiguous();
  ASSERT_EQ(bytes.size(), 12U);
  EXPECT_EQ(reinterpret_cast<const float*>(bytes.data())[2], 1.0F);
  const StateEntry* step = record.tree.find(FieldPath("loop/step"));
  ASSERT_NE(step, nullptr);
  EXPECT_EQ(step->field.value, Value(std::int64_t{1}));
  EXPECT_EQ(step->field.digest, digest_of(Value(std::int64_t{1})).root);
  EXPECT_EQ(record.log.begins.at(1).fields.at("loop/step"), step->field.digest);
  EXPECT_EQ(record.log.begins.at(1).values.at("loop/step"), "1");
}

TEST_F(SessionTest, StepsOfAResumedProcessCountFromItsStart) {
  plan.leg = "resumed";
  plan.start = 10;
  plan.at = 10;
  plan.steps = 2;
  EXPECT_EQ(train(*open(), 100), 2);
  EXPECT_THAT(completed_of(only_record().log), ElementsAre(10, 11, 12));
}

TEST_F(SessionTest, ATrainerThatEndsByItselfLeavesAnEnd) {
  plan.at = 3;
  plan.steps = 3;
  EXPECT_EQ(train(*open(), 5), -1);
  const StepLog log = only_record().log;
  EXPECT_THAT(completed_of(log), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(log.begins.back().phase, "end");
  EXPECT_TRUE(log.closed);
}

TEST_F(SessionTest, ASecondProcessOfTheRankStaysSilent) {
  const auto first = open();
  EXPECT_NE(first, nullptr);
  EXPECT_EQ(open(), nullptr);
  EXPECT_NE(open(1, 2), nullptr);
}

TEST_F(SessionTest, AForkedWorkerWritesNothing) {
  plan.at = 0;
  const auto session = open();
  record(*session, 0, session->at_begin(0, false, false).record);
  const pid_t child = ::fork();
  if (child == 0) {
    const bool silent = session->at_begin(1, false, false).record == Decision::Record::none;
    session->event("from a worker", "{}");
    session->close();
    ::_exit(silent ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(only_record().log.events.empty());
  session->event("from the trainer", R"({"a":1})");
  const StepLog log = only_record().log;
  ASSERT_EQ(log.events.size(), 1U);
  EXPECT_EQ(log.events[0].json, R"({"a":1})");
}

TEST_F(SessionTest, ASaveInsideTheWindowReplacesTheCapture) {
  plan.at = 1;
  const auto session = open();
  record(*session, 0, session->at_begin(0, false, false).record);
  record(*session, 1, session->at_begin(1, false, false).record);
  ASSERT_EQ(session->at_begin(1, true, false).record, Decision::Record::full);
  session->begin_record(1, "begin", Decision::Record::full);
  add_value(*session, "loop/step", std::int64_t{77});
  session->commit_record();
  const RankRecord record = only_record();
  ASSERT_EQ(record.tree.entries().size(), 1U);
  EXPECT_EQ(record.tree.entries()[0].field.value, Value(std::int64_t{77}));
  ASSERT_EQ(record.log.begins.size(), 2U);
  EXPECT_EQ(record.log.begins[1].values.at("loop/step"), "77");
}

TEST_F(SessionTest, TheRankThatCompletesTheSetWritesTheWorldRecord) {
  plan.at = 0;
  const auto zero = open(0, 2), one = open(1, 2);
  record(*one, 0, one->at_begin(0, false, false).record);
  EXPECT_FALSE(is_regular_file(RunFolder(plan.run).world(0)));
  EXPECT_THROW(read_capture(plan.run), Error);
  record(*zero, 0, zero->at_begin(0, false, false).record);
  EXPECT_TRUE(is_regular_file(RunFolder(plan.run).world(0)));
  const auto records = read_capture(plan.run);
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[1].capture->boundary.rank, 1);
}

TEST_F(SessionTest, LoadsAndDeadGradientsAndTheContractAreKept) {
  plan.at = 0;
  const auto session = open();
  session->observe_loaded(FieldPath("model/weight"), {1, 2}, "load_state_dict");
  session->observe_loaded(FieldPath("model/weight"), {3, 4}, "load_state_dict");
  session->set_contract({{{"torch.num_threads", "2"}}});
  record(*session, 0, session->at_begin(0, false, false).record);
  session->dead_gradients({"gradients/weight"});
  session->close();
  const RankRecord record = only_record();
  EXPECT_THAT(record.log.loaded.at("model/weight"), ElementsAre(Digest{1, 2}, Digest{3, 4}));
  EXPECT_THAT(record.log.dead_gradients, ElementsAre("gradients/weight"));
  const auto& clauses = record.capture->contract.clauses;
  EXPECT_THAT(clauses, testing::Contains(Clause{"torch.num_threads", "2"}));
  EXPECT_THAT(clauses, testing::Contains(testing::Field(&Clause::name, "host.hardware_threads")));
}

TEST_F(SessionTest, CapturesAreKeptAsThePlanSays) {
  plan.at = 0;
  for (const StorePolicy store : {StorePolicy::raw, StorePolicy::planes}) {
    plan.store = store;
    plan.run = folder / std::string(to_string(store));
    const auto session = open();
    session->begin_record(0, "begin", session->at_begin(0, false, false).record);
    FloatField("model/weight", std::vector<float>(5000)).add_to(*session);
    session->commit_record();
    EXPECT_EQ(only_record().capture->blobs.begin()->second.codec, to_string(store));
  }
}

/// A session that writes its capture of step 2 in the background, up to that.
class BackgroundSessionTest : public SessionTest {
 protected:
  BackgroundSessionTest() {
    plan.at = 2;
    plan.background = true;
    session = open();
    for (std::int64_t completed = 0; completed < 2; ++completed)
      record(*session, completed, session->at_begin(completed, false, false).record);
    EXPECT_FALSE(session->is_in_background());
    EXPECT_EQ(session->at_begin(2, false, false).record, Decision::Record::full);
    session->begin_record(2, "begin", Decision::Record::full);
    EXPECT_TRUE(session->is_in_background());
    add_value(*session, "loop/step", std::int64_t{2});
    add_later("model/weight");
    session->start_record();
  }

  void add_later(const std::string& path) {
    Field field;
    field.path = FieldPath(path);
    field.kind = FieldKind::tensor;
    field.dtype = Dtype::float32;
    field.shape = {static_cast<std::int64_t>(weight.size())};
    TensorView view;
    view.base = reinterpret_cast<const std::byte*>(weight.data());
    view.dtype = field.dtype;
    view.shape = field.shape;
    view.strides = {1};
    session->add_field_later(std::move(field), std::move(view), nullptr);
  }

  std::vector<float> weight = std::vector<float>(200'000, 1.5F);
  std::unique_ptr<Session> session;
};

TEST_F(BackgroundSessionTest, TheCaptureIsLoggedInItsPlace) {
  session->trace(2, "loss", digest_of_text("loss"));
  session->barrier();
  EXPECT_EQ(session->settle_record(), 1U);
  weight.assign(weight.size(), 0);
  session->commit_record();
  record(*session, 3, session->at_begin(3, false, false).record);
  session->close();
  const RankRecord rank = only_record();
  ASSERT_TRUE(rank.capture);
  EXPECT_EQ(rank.capture->fields.size(), 2U);
  EXPECT_THAT(completed_of(rank.log), ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(rank.log.begins[2].fields.size(), 2U);
  EXPECT_TRUE(rank.log.closed);
}

TEST_F(BackgroundSessionTest, CloseWaitsForTheCapture) {
  session->barrier();
  session->commit_record();
  session->close();
  EXPECT_TRUE(only_record().capture);
}

TEST_F(BackgroundSessionTest, WithoutACommitThereIsNoCapture) {
  session->barrier();
  session->close();
  const RankRecord rank = only_record();
  EXPECT_FALSE(rank.capture);
  EXPECT_THAT(completed_of(rank.log), ElementsAre(0, 1));
}

/// What a trainer must not do with memory that it has lent: a race on purpose.
__attribute__((no_sanitize("thread"), noinline)) void change_while_lent(float* first,
                                                                        std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) first[i] = 2.5F;
}

TEST_F(BackgroundSessionTest, AnErrorIsThrownOnceAndTheRecordGone) {
  change_while_lent(weight.data(), weight.size());
  EXPECT_THROW(session->barrier(), Error);
  EXPECT_FALSE(session->is_in_background());
  EXPECT_NO_THROW(session->barrier());
  record(*session, 3, Decision::Record::digest);
  session->close();
  EXPECT_FALSE(only_record().capture);
}

TEST_F(BackgroundSessionTest, AnErrorOfTheCommitIsThrownByTheNextThatAsks) {
  session->barrier();
  make_folders(RunFolder(plan.run).manifest(2, 0) + "/in/the/way");
  session->commit_record();
  EXPECT_THROW(session->collect_record(true), Error);
  EXPECT_NO_THROW(session->collect_record(true));
}

TEST_F(BackgroundSessionTest, AnErrorThatNobodyAskedForIsInTheLog) {
  session->barrier();
  make_folders(RunFolder(plan.run).manifest(2, 0) + "/in/the/way");
  session->commit_record();
  session->close();
  remove_tree(RunFolder(plan.run).capture(2));
  const RankRecord rank = only_record();
  ASSERT_EQ(rank.log.events.size(), 1U);
  EXPECT_EQ(rank.log.events[0].name, "recorder_error");
  EXPECT_TRUE(rank.log.closed);
}

}  // namespace
}  // namespace samestep
