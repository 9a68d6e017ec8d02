// Files of a run that are gone, cut or changed, each told once.
#include "capture/record_check.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "capture/run_folder.h"
#include "checkpoint/compressor.h"
#include "tests/capture/session_fixture.h"

namespace samestep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

std::string text_at(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class RecordCheckTest : public SessionTest {
 protected:
  RunFolder run() const { return RunFolder(plan.run); }
  std::string pack(std::int64_t step) const { return run().capture(step) + "/rank-0.0.pack"; }
  std::string captured(std::int64_t at = 1, int ranks = 1) {
    plan.at = at;
    for (int rank = 0; rank < ranks; ++rank) train(*open(rank, ranks), 3);
    return plan.run;
  }
  std::vector<PackTrouble> packs(const std::string& path) {
    return check_packs(path, read_capture(path));
  }
  std::vector<LogTrouble> logs() const { return check_logs(plan.run, {0}); }
  void put_log(const std::string& text) const {
    const auto frame = compress(std::as_bytes(std::span(text)));
    write_whole_file(run().log(0), {reinterpret_cast<const char*>(frame.data()), frame.size()});
  }
};

TEST_F(RecordCheckTest, OfASoundRunNothingIsSaid) {
  captured(1, 2);
  EXPECT_THAT(packs(plan.run), IsEmpty());
  EXPECT_THAT(check_logs(plan.run, {0, 1}), IsEmpty());
  const auto others = other_captures(plan.run, read_capture(plan.run));
  EXPECT_THAT(others.complete, IsEmpty());
  EXPECT_THAT(others.incomplete, IsEmpty());
}

TEST_F(RecordCheckTest, AMissingPackIsToldOnceWithItsFields) {
  captured();
  std::filesystem::remove(pack(1));
  for (const std::string& path :
       {plan.run, run().capture(1), run().capture(1) + "/", run().manifest(1, 0)}) {
    const auto found = packs(path);
    ASSERT_EQ(found.size(), 1U) << path;
    EXPECT_EQ(found[0].name, "captures/1/rank-0.0.pack");
    EXPECT_EQ(found[0].trouble, FileTrouble::missing);
    EXPECT_THAT(found[0].fields, ElementsAre(Pair(0, "loop/step"), Pair(0, "model/weight")));
    EXPECT_THAT(found[0].captures, ElementsAre(1));
    EXPECT_THAT(found[0].others, IsEmpty());
  }
}

TEST_F(RecordCheckTest, ACaptureIsFoundFromInsideItsFolder) {
  captured();
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(run().capture(1));
  for (const char* path : {".", "rank-0.json", "../1"}) EXPECT_THAT(packs(path), IsEmpty()) << path;
  std::filesystem::current_path(before);
}

TEST_F(RecordCheckTest, APackThatIsCutOrNoneIsToldOnce) {
  captured();
  const std::string whole = text_at(pack(1));
  write_whole_file(pack(1), whole.substr(0, 70));
  auto found = packs(plan.run);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].trouble, FileTrouble::damaged);
  EXPECT_THAT(found[0].message, HasSubstr("ends too early, after 70 bytes"));
  write_whole_file(pack(1), std::string(whole.size(), 'x'));
  found = packs(plan.run);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0].message, HasSubstr("not a samestep pack"));
  EXPECT_EQ(found[0].fields.size(), 2U);
}

TEST_F(RecordCheckTest, CapturesThatNeedTheSamePackAreNamed) {
  const auto session = open();
  for (const std::int64_t step : {1, 2, 3}) {
    session->begin_record(step, "begin", Decision::Record::full);
    FloatField("model/frozen", {1.0F, 2.0F}).add_to(*session);
    session->commit_record();
  }
  std::filesystem::create_directory(run().capture(7));
  const auto others = other_captures(plan.run, read_capture(plan.run));
  EXPECT_THAT(others.complete, ElementsAre(1, 2));
  EXPECT_THAT(others.incomplete, ElementsAre(7));
  EXPECT_THAT(other_captures(run().capture(3), read_capture(plan.run)).complete, IsEmpty());
  std::filesystem::remove(pack(1));
  const auto found = packs(plan.run);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_THAT(found[0].captures, ElementsAre(3));
  EXPECT_THAT(found[0].others, ElementsAre(1, 2));
}

TEST_F(RecordCheckTest, WhatAKilledProcessLeavesIsHarmless) {
  captured();
  const std::string whole = text_at(run().log(0));
  write_whole_file(run().log(0), whole.substr(0, whole.size() - 3));
  ASSERT_EQ(logs().size(), 1U);
  EXPECT_TRUE(logs()[0].harmless);
  EXPECT_THAT(logs()[0].message, HasSubstr("half a record"));
  write_whole_file(run().log(0), "");
  ASSERT_EQ(logs().size(), 1U);
  EXPECT_FALSE(logs()[0].harmless) << "the rank had a capture: its log had begun";
  EXPECT_TRUE(check_logs(plan.run, {})[0].harmless);
}

TEST_F(RecordCheckTest, ADamagedLogIsToldWithItsPlace) {
  captured();
  std::string text = text_at(run().log(0));
  text[text.size() / 2] ^= 1;
  write_whole_file(run().log(0), text);
  auto found = logs();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].name, "log/rank-0.jsonl.zst");
  EXPECT_EQ(found[0].trouble, FileTrouble::damaged);
  EXPECT_FALSE(found[0].harmless);

  const std::string head =
      R"({"line":"head","schema":"step_log.v1","leg":"a","rank":0,"world_size":1,"start":0})";
  put_log(head + "\n{\"line\":\"song\"}\n");
  EXPECT_THAT(logs()[0].message, HasSubstr("line 2"));
  put_log("{}\n");
  EXPECT_THAT(logs()[0].message, testing::StartsWith("line 1: "));
}

TEST_F(RecordCheckTest, ALogOfAnotherVersionOrRankContradictsItsRun) {
  captured();
  const auto put = [this](const char* schema, int rank) {
    put_log(std::string(R"({"line":"head","schema":")") + schema + R"(","leg":"a","rank":)" +
            std::to_string(rank) + R"(,"world_size":1,"start":0})" + "\n");
  };
  put("step_log.v9", 0);
  ASSERT_EQ(logs().size(), 1U);
  EXPECT_EQ(logs()[0].trouble, FileTrouble::inconsistent);
  EXPECT_THAT(logs()[0].message, HasSubstr("step_log.v9"));
  put("step_log.v1", 3);
  ASSERT_EQ(logs().size(), 1U);
  EXPECT_EQ(logs()[0].message, "is the log of rank 3");
}

TEST_F(RecordCheckTest, ANameWithoutARankIsNoLog) {
  captured();
  for (const char* name : {"rank-99999999999.jsonl.zst", "rank-x.jsonl.zst", "rank--1.jsonl.zst"})
    write_whole_file(run().logs() + "/" + name, "");
  EXPECT_THAT(logs(), IsEmpty());
}

TEST_F(RecordCheckTest, ALogThatIsGoneIsMissed) {
  captured();
  std::filesystem::remove(run().log(0));
  ASSERT_EQ(logs().size(), 1U);
  EXPECT_EQ(logs()[0].trouble, FileTrouble::missing);
  std::filesystem::remove_all(run().logs());
  EXPECT_THAT(logs(), IsEmpty()) << "captures were copied without logs";
}

}  // namespace
}  // namespace samestep
