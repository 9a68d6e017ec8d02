// One record: what a full one leaves on disk, and that a failed one leaves nothing.
#include "capture/state_record.h"

#include <gmock/gmock.h>

#include <random>

#include "checkpoint/files/folder.h"
#include "schemas/check.h"
#include "schemas/error.h"
#include "schemas/json/capture_json.h"
#include "tests/capture/recorded_tensor.h"
#include "tests/checkpoint/byte_helpers.h"
#include "tests/checkpoint/files/limits.h"
#include "tests/support/temporary_folder.h"

namespace samestep {
namespace {

using testing::ElementsAre;

std::vector<std::byte> noise(std::size_t size) {
  std::mt19937 random(7);
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() & 255);
  return bytes;
}

class StateRecordTest : public testing::Test {
 protected:
  StateRecord full(std::int64_t step) { return {run, 0, 1, step, "begin"}; }
  CaptureRank manifest(std::int64_t step) const {
    const std::string path = run.manifest(step, 0);
    return capture_rank_from_json(file_text(path), path);
  }
  std::vector<std::string> files_of(std::int64_t step) const {
    std::vector<std::string> names;
    for (const Entry& entry : list_folder(run.capture(step))) names.push_back(entry.path);
    return names;
  }

  TemporaryFolder folder;
  const RunFolder run{folder.path()};
};

TEST_F(StateRecordTest, AFullRecordLeavesPackManifestAndWorld) {
  auto record = full(4);
  const auto data = noise(200'000);
  add(record, "model/b", data);
  add(record, "model/a", noise(10));
  record.commit();
  EXPECT_THAT(files_of(4), ElementsAre("capture.json", "rank-0.0.pack", "rank-0.json"));
  const CaptureRank capture = manifest(4);
  ASSERT_EQ(capture.fields.size(), 2U);
  EXPECT_EQ(capture.fields[0].path.text(), "model/a");
  EXPECT_EQ(capture.fields[1].bytes, 200'000U);
  EXPECT_EQ(capture.chunks.size(), 1U);
  EXPECT_EQ(capture.chunks.at(*capture.fields[1].digest).size(), 4U);
  EXPECT_EQ(capture.blobs.size(), 2U);
}

TEST_F(StateRecordTest, ATensorOfOneElementShowsItsValue) {
  auto record = full(4);
  add(record, "optimizer/step", std::vector<std::byte>{std::byte{7}});
  add(record, "optimizer/two", noise(2));
  EXPECT_EQ(record.values().at("optimizer/step"), "7");
  EXPECT_FALSE(record.values().contains("optimizer/two"));
  record.commit();
  const CaptureRank capture = manifest(4);
  EXPECT_EQ(capture.fields[0].value, Value{std::int64_t{7}});
  EXPECT_EQ(capture.fields[1].value, std::nullopt);
}

TEST_F(StateRecordTest, WhatDidNotChangeIsNotWrittenAgain) {
  const auto data = noise(100'000);
  auto first = full(4);
  add(first, "model/a", data);
  first.commit();
  auto second = full(8);
  add(second, "model/a", data);
  add(second, "model/twin", data);
  second.commit();
  EXPECT_THAT(files_of(8), ElementsAre("capture.json", "rank-0.json"));
  EXPECT_EQ(manifest(8).blobs.begin()->second.pack, "4/rank-0.0.pack");
}

TEST_F(StateRecordTest, ADigestRecordLeavesNothing) {
  StateRecord record(4, "end");
  add(record, "model/a", noise(10));
  record.commit();
  EXPECT_EQ(record.digests().size(), 1U);
  EXPECT_FALSE(is_folder(run.root()));
}

TEST_F(StateRecordTest, ManyFieldsAtATimeAreWhatTheyAreOneByOne) {
  for (const bool is_full : {false, true}) {
    StateRecord alone = is_full ? full(4) : StateRecord(4, "begin");
    StateRecord together = is_full ? full(5) : StateRecord(5, "begin");
    std::vector<std::vector<std::byte>> datas;
    for (const int bytes : {4, 0, 100'000, 64 << 10, 3'000'000}) datas.push_back(noise(bytes));
    std::vector<FieldWithBytes> fields;
    for (const auto& data : datas) {
      Field field;
      field.path = FieldPath("model/" + std::to_string(fields.size()));
      field.kind = FieldKind::tensor;
      field.dtype = Dtype::float32;
      field.shape = {static_cast<std::int64_t>(data.size() / 4)};
      TensorView view{data.data(), field.dtype, field.shape, {1}};
      fields.push_back({field, tensor_bytes(view, nullptr)});
      alone.add(field, *fields.back().bytes);
    }
    together.add_all(fields);
    EXPECT_EQ(together.digests(), alone.digests());
    EXPECT_EQ(together.values(), alone.values());
    EXPECT_EQ(together.digests().size(), 5U);
  }
}

TEST_F(StateRecordTest, APathThatComesTwiceIsOurFault) {
  StateRecord record(4, "begin");
  add(record, "model/a", noise(10));
  EXPECT_THROW(add(record, "model/a", noise(10)), CheckFailure);
}

TEST_F(StateRecordTest, AFullDiskLeavesNoHalfCapture) {
  {
    const FileSizeLimit limit(1'000'000);
    auto record = full(4);
    EXPECT_THROW(
        {
          for (int i = 0; i < 40; ++i) {
            auto data = noise(100'000);
            data[0] = static_cast<std::byte>(i);
            add(record, "model/" + std::to_string(i), data);
          }
          record.commit();
        },
        Error);
  }
  EXPECT_TRUE(files_of(4).empty());
}

TEST_F(StateRecordTest, AReplacedRecordKeepsTheBlobsThatItStillNeeds) {
  const auto kept = noise(100'000);
  auto first = full(4);
  add(first, "model/a", kept);
  first.commit();
  auto second = full(4);
  add(second, "model/a", kept);
  add(second, "gradients/a", noise(50'000));
  second.commit();
  EXPECT_THAT(files_of(4),
              ElementsAre("capture.json", "rank-0.0.pack", "rank-0.1.pack", "rank-0.json"));
  EXPECT_EQ(manifest(4).fields.size(), 2U);
}

}  // namespace
}  // namespace samestep
