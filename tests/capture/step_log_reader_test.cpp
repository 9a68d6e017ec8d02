// Logs that are cut, damaged, or of another version.
#include "capture/step_log_reader.h"

#include <gmock/gmock.h>

#include "checkpoint/compressor.h"
#include "schemas/error.h"
#include "tests/checkpoint/byte_helpers.h"
#include "tests/support/temporary_folder.h"

namespace samestep {
namespace {

constexpr const char* kHead =
    R"({"line":"head","schema":"step_log.v1","leg":"a","rank":0,"world_size":1,"start":0})";

class StepLogReaderTest : public testing::Test {
 protected:
  void put(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) {
      const auto frame = compress(bytes_of(line + "\n"));
      text.append(reinterpret_cast<const char*>(frame.data()), frame.size());
    }
    put_file(path, text);
  }
  std::string error() {
    try {
      read_step_log(path);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  TemporaryFolder folder;
  const std::string path = folder / "rank-0.jsonl.zst";
};

TEST_F(StepLogReaderTest, EveryPrefixIsReadable) {
  put({kHead,
       R"({"line":"begin","completed":1,"phase":"begin","full":false,"fields":{},"values":{}})",
       R"({"line":"closed"})"});
  const std::string whole = file_text(path);
  std::size_t begins = 0;
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    put_file(path, whole.substr(0, size));
    const StepLog log = read_step_log(path);
    EXPECT_GE(log.begins.size(), begins) << size;
    begins = log.begins.size();
    EXPECT_EQ(log.closed, size == whole.size()) << size;
  }
  EXPECT_EQ(begins, 1U);
}

TEST_F(StepLogReaderTest, ABeginThatIsRecordedAgainReplacesTheFormer) {
  const std::string one =
      R"({"line":"begin","completed":1,"phase":"begin","full":true,"fields":{},"values":{"a":"1"}})";
  const std::string two =
      R"({"line":"begin","completed":1,"phase":"begin","full":true,"fields":{},"values":{"a":"2"}})";
  put({kHead, one, two});
  const StepLog log = read_step_log(path);
  ASSERT_EQ(log.begins.size(), 1U);
  EXPECT_EQ(log.begins[0].values.at("a"), "2");
}

TEST_F(StepLogReaderTest, BadLinesAreToldWithTheirNumber) {
  const std::pair<const char*, const char*> cases[] = {
      {"{", "line 2"},
      {R"({"line":"song"})", "unknown kind"},
      {R"({"line":"trace","completed":1})", "phase"},
      {R"({"line":"trace","completed":1,"phase":"x","digest":"12"})", ""},
      {R"({"line":"begin","completed":"1","phase":"begin","fields":{},"values":{}})", "/completed"},
  };
  for (const auto& [line, expected] : cases) {
    put({kHead, line});
    EXPECT_NE(error(), "") << line;
    EXPECT_THAT(error(), testing::HasSubstr(expected)) << line;
  }
}

TEST_F(StepLogReaderTest, AnotherVersionIsRefused) {
  put({R"({"line":"head","schema":"step_log.v9","leg":"a","rank":0,"world_size":1,"start":0})"});
  EXPECT_THAT(error(), testing::HasSubstr("step_log.v9"));
  put({R"({"line":"closed"})"});
  EXPECT_THAT(error(), testing::HasSubstr("not a head"));
}

TEST_F(StepLogReaderTest, WhatIsNoLogIsAnEmptyOne) {
  put_file(path, "");
  EXPECT_TRUE(read_step_log(path).begins.empty());
  EXPECT_THROW(read_step_log(folder / "nothing"), Error);
}

}  // namespace
}  // namespace samestep
