// What is written is read back; a killed writer leaves a readable prefix; a full disk leaves whole
// frames.
#include "capture/step_log_writer.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/step_log_reader.h"
#include "schemas/error.h"
#include "tests/checkpoint/byte_helpers.h"
#include "tests/checkpoint/files/limits.h"
#include "tests/support/temporary_folder.h"

namespace samestep {
namespace {

class StepLogWriterTest : public testing::Test {
 protected:
  static void begin(StepLogWriter& log, std::int64_t completed) {
    log.begin(completed, "begin", false,
              {{"model/weight", {1, static_cast<std::uint64_t>(completed)}}}, {{"loop/step", "3"}});
    log.flush();
  }
  TemporaryFolder folder;
  const std::string path = folder / "rank-3.jsonl.zst";
  const StepLogWriter::Head head{"resumed", 3, 4, 10};
};

TEST_F(StepLogWriterTest, WhatIsWrittenIsRead) {
  StepLogWriter writer(path, head);
  begin(writer, 11);
  writer.trace(11, "forward:layers.0", {5, 6});
  writer.loaded(FieldPath("model/we\"ight"), {7, 8}, "load_state_dict");
  writer.dead_gradients({"gradients/a"});
  writer.event("saved", R"({"path":"x","data":{"a":[1]}})");
  writer.close();
  writer.close();
  const StepLog log = read_step_log(path);
  EXPECT_EQ(log.leg, "resumed");
  EXPECT_EQ(log.rank, 3);
  EXPECT_EQ(log.world_size, 4);
  EXPECT_EQ(log.start, 10);
  ASSERT_EQ(log.begins.size(), 1U);
  EXPECT_EQ(log.begins[0].completed, 11);
  EXPECT_EQ(log.begins[0].fields.at("model/weight"), (Digest{1, 11}));
  EXPECT_EQ(log.begins[0].values.at("loop/step"), "3");
  ASSERT_EQ(log.traces.size(), 1U);
  EXPECT_EQ(log.traces[0].phase, "forward:layers.0");
  EXPECT_EQ(log.traces[0].digest, (Digest{5, 6}));
  EXPECT_EQ(log.loaded.at("model/we\"ight").at(0), (Digest{7, 8}));
  EXPECT_THAT(log.dead_gradients, testing::ElementsAre("gradients/a"));
  ASSERT_EQ(log.events.size(), 1U);
  EXPECT_EQ(log.events[0].json, R"({"path":"x","data":{"a":[1]}})");
  EXPECT_TRUE(log.closed);
}

TEST_F(StepLogWriterTest, ALookBesideAnotherLoadIsNoLoad) {
  StepLogWriter writer(path, head);
  writer.loaded(FieldPath("optimizer/param_groups/0/lr"), {1, 1}, "beside Linear.load_state_dict");
  writer.loaded(FieldPath("model/weight"), {2, 2}, "Linear.load_state_dict");
  writer.close();
  const StepLog log = read_step_log(path);
  EXPECT_EQ(log.loaded.size(), 2U);
  EXPECT_THAT(log.loaded_components, testing::ElementsAre("model"));
}

TEST_F(StepLogWriterTest, AKilledWriterLeavesAReadablePrefix) {
  const pid_t child = ::fork();
  if (child == 0) {
    StepLogWriter writer(path, head);
    for (std::int64_t step = 0; step < 5; ++step) begin(writer, step);
    writer.trace(5, "never flushed", {1, 1});
    ::kill(::getpid(), SIGKILL);
  }
  ::waitpid(child, nullptr, 0);
  const StepLog log = read_step_log(path);
  EXPECT_EQ(log.begins.size(), 5U);
  EXPECT_TRUE(log.traces.empty());
  EXPECT_FALSE(log.closed);
}

TEST_F(StepLogWriterTest, AFullDiskIsToldAndLeavesWholeFrames) {
  StepLogWriter writer(path, head);
  begin(writer, 0);
  const std::string before = file_text(path);
  {
    const FileSizeLimit limit(before.size() + 20);
    EXPECT_THROW(begin(writer, 1), Error);
  }
  EXPECT_EQ(file_text(path), before);
  begin(writer, 2);
  const StepLog log = read_step_log(path);
  ASSERT_EQ(log.begins.size(), 2U);
  EXPECT_EQ(log.begins[1].completed, 2);
}

TEST_F(StepLogWriterTest, AFolderThatIsNotThereIsTold) {
  EXPECT_THROW(StepLogWriter(folder / "nothing/log", head), Error);
}

}  // namespace
}  // namespace samestep
