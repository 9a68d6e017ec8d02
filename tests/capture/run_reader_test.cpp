// What a reader makes of run folders: whole, incomplete, damaged, or none.
#include "capture/run_reader.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>

#include "capture/run_folder.h"
#include "capture/seal.h"
#include "checkpoint/field_summary.h"
#include "schemas/error.h"
#include "schemas/json/capture_json.h"
#include "session_fixture.h"
#include "tests/checkpoint/byte_helpers.h"

namespace samestep {
namespace {

class RunReaderTest : public SessionTest {
 protected:
  RunReaderTest() {
    plan.at = 1;
    plan.steps = 1;
  }
  RunFolder run() const { return RunFolder(plan.run); }
};

std::string error_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST_F(RunReaderTest, NoRunIsTold) {
  EXPECT_THAT(error_of([&] { read_run(folder / "nothing"); }),
              testing::HasSubstr("no record of a run"));
  EXPECT_NE(error_of([&] { read_capture(folder / "nothing"); }), "");
}

TEST_F(RunReaderTest, ACaptureIsFoundByAnyOfItsNames) {
  train(*open(), 3);
  for (const std::string& path : {plan.run, run().capture(1), run().manifest(1, 0)}) {
    EXPECT_TRUE(looks_like_capture(path)) << path;
    const auto records = read_capture(path);
    ASSERT_EQ(records.size(), 1U) << path;
    EXPECT_EQ(records[0].tree.entries().size(), 2U) << path;
    EXPECT_EQ(streamed(*records[0].tree.entries()[1].bytes).size(), 12U);
  }
  for (const std::string& path :
       {run().log(0), folder.path(), run().world(1), folder / "nothing"}) {
    EXPECT_FALSE(looks_like_capture(path)) << path;
  }
}

TEST_F(RunReaderTest, TheLogOfTheRunIsFoundFromAnyNameOfACapture) {
  train(*open(), 3);
  for (const std::string& path :
       {plan.run, run().capture(1), run().capture(1) + "/", run().manifest(1, 0)}) {
    auto records = read_capture(path);
    EXPECT_TRUE(records[0].log.begins.empty()) << path;
    add_logs_beside(path, records);
    EXPECT_FALSE(records[0].log.begins.empty()) << path;
  }
  std::filesystem::remove_all(run().logs());
  auto records = read_capture(plan.run);
  add_logs_beside(plan.run, records);
  EXPECT_TRUE(records[0].log.begins.empty());
}

TEST_F(RunReaderTest, ALegThatNeverCapturedHasItsLog) {
  plan.at = 50;
  train(*open(), 3);
  const RankRecord record = only_record();
  EXPECT_FALSE(record.capture);
  EXPECT_EQ(record.log.begins.size(), 4U);
  EXPECT_THAT(error_of([&] { read_capture(plan.run); }), testing::HasSubstr("no capture"));
}

TEST_F(RunReaderTest, ARankThatDiedIsNotHeard) {
  const auto zero = open(0, 2), one = open(1, 2);
  record(*one, 1, one->at_begin(1, false, false).record);
  record(*zero, 0, zero->at_begin(0, false, false).record);
  const auto records = read_run(plan.run);
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].rank, 0);
  EXPECT_FALSE(records[0].capture);
  EXPECT_TRUE(records[1].capture);
  EXPECT_THAT(error_of([&] { read_capture(plan.run); }), testing::HasSubstr("incomplete"));
}

TEST_F(RunReaderTest, ARecordThatACompleteCaptureLacksIsMissed) {
  plan.at = 1;
  for (const int rank : {0, 1}) train(*open(rank, 2), 3);
  for (const int rank : {1, 0}) {
    std::filesystem::remove(run().manifest(1, rank));
    EXPECT_THAT(error_of([&] { read_capture(plan.run); }),
                testing::HasSubstr("rank-" + std::to_string(rank) +
                                   ".json: the record of a rank is missing; copy it back"));
    EXPECT_THAT(error_of([&] { read_run(plan.run); }), testing::HasSubstr("is missing"));
  }
}

TEST_F(RunReaderTest, ARecordOfAnotherRankIsRefused) {
  plan.at = 1;
  for (const int rank : {0, 1}) train(*open(rank, 2), 3);
  write_whole_file(run().manifest(1, 1), file_text(run().manifest(1, 0)));
  EXPECT_THAT(error_of([&] { read_capture(plan.run); }),
              testing::HasSubstr("rank-1.json: is the record of rank 0"));
}

TEST_F(RunReaderTest, ALogThatCannotBeReadIsToldAndOneThatIsNotThereIsNot) {
  train(*open(), 3);
  auto records = read_capture(plan.run);
  std::filesystem::remove(run().log(0));
  add_logs_beside(plan.run, records);
  EXPECT_EQ(records[0].log_trouble, "");
  std::filesystem::create_directory(run().log(0));
  add_logs_beside(plan.run, records);
  EXPECT_THAT(records[0].log_trouble, testing::HasSubstr("the capture is judged without it"));
}

TEST_F(RunReaderTest, OfSeveralCapturesTheLatestCompleteOneCounts) {
  const auto session = open();
  for (const std::int64_t step : {1, 2}) record(*session, step, Decision::Record::full);
  make_folders(run().capture(9));
  write_whole_file(run().manifest(9, 0), file_text(run().manifest(2, 0)));
  EXPECT_EQ(only_record().capture->completed, 2);
}

TEST_F(RunReaderTest, AClockThatWasMovedBackDoesNotCount) {
  const auto session = open();
  for (const std::int64_t step : {1, 2}) record(*session, step, Decision::Record::full);
  const timespec long_ago[2] = {{1, 0}, {1, 0}};
  for (const std::string& path : {run().capture(2), run().manifest(2, 0), run().world(2)})
    ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), long_ago, 0), 0);
  EXPECT_EQ(only_record().capture->completed, 2);
  record(*session, 3, Decision::Record::full);
  EXPECT_EQ(only_record().capture->completed, 3);
}

TEST_F(RunReaderTest, DamageInAPackNamesTheField) {
  train(*open(), 3);
  const std::string pack = run().captures() + "/" + RunFolder::pack_name(1, 0, 0);
  std::string text = file_text(pack);
  text[64] ^= 1;
  put_file(pack, text);
  const RankRecord record = only_record();
  std::vector<std::string> damaged;
  for (const StateEntry& entry : record.tree.entries()) {
    const std::string error = error_of([&] { streamed(*entry.bytes); });
    if (error.empty()) continue;
    damaged.push_back(entry.field.path.text());
    EXPECT_THAT(error, testing::HasSubstr(entry.field.path.text()));
  }
  EXPECT_THAT(damaged, testing::ElementsAre("model/weight"));
}

TEST_F(RunReaderTest, HeadsSayWhatTheFieldsAre) {
  train(*open(), 3);
  const auto heads = read_capture_heads(plan.run);
  ASSERT_TRUE(heads);
  ASSERT_EQ(heads->size(), 1U);
  const CaptureRank capture = *only_record().capture;
  EXPECT_EQ(heads->front().boundary, capture.boundary);
  EXPECT_EQ(heads->front().completed, capture.completed);
  EXPECT_EQ(heads->front().summary, summary_of(capture.fields));
  EXPECT_EQ(read_capture_heads(run().capture(capture.completed))->size(), 1U);
  EXPECT_EQ(read_capture_heads(run().manifest(capture.completed, 0))->size(), 1U);
}

TEST_F(RunReaderTest, ASummaryOfOtherFieldsIsTold) {
  train(*open(), 3);
  const std::string path = run().manifest(1, 0);
  CaptureRank capture = read_capture_rank(path);
  capture.summary->fields.low ^= 1;
  put_file(path, sealed(capture_rank_to_json(capture)));
  EXPECT_THAT(error_of([&] { read_capture_rank(path); }), testing::HasSubstr("the summary"));
}

TEST_F(RunReaderTest, ADamagedManifestIsTold) {
  train(*open(), 3);
  const std::string path = run().manifest(1, 0);
  const std::string whole = file_text(path);
  put_file(path, whole.substr(0, whole.size() / 2));
  EXPECT_THAT(error_of([&] { read_run(plan.run); }), testing::HasSubstr("rank-0.json"));
}

}  // namespace
}  // namespace samestep
