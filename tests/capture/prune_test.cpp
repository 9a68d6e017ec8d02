// What a prune keeps is whole afterwards, and what nobody needs is gone.
#include "capture/prune.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <random>

#include "capture/run_folder.h"
#include "capture/run_reader.h"
#include "capture/state_record.h"
#include "checkpoint/files/folder.h"
#include "schemas/error.h"
#include "tests/capture/recorded_tensor.h"
#include "tests/checkpoint/byte_helpers.h"
#include "tests/support/temporary_folder.h"

namespace samestep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Each capture holds a field that stays and a large one that moves with the step.
class PruneTest : public testing::Test {
 protected:
  static std::vector<std::byte> noise(std::size_t size, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<std::byte> bytes(size);
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() & 255);
    return bytes;
  }
  void capture(std::int64_t step, int rank = 0, int world_size = 1) {
    StateRecord record(run, rank, world_size, step, "begin");
    add(record, "model/kept", noise(20'000, 1));
    add(record, "model/moved", noise(100'000, static_cast<unsigned>(step + 2)));
    record.commit();
  }
  void expect_whole(std::int64_t step) {
    const auto records = read_capture(run.capture(step));
    ASSERT_EQ(records.size(), 1U);
    expect_whole(records[0], step);
  }
  static void expect_whole(const RankRecord& record, std::int64_t step) {
    EXPECT_EQ(streamed(*record.tree.find(FieldPath("model/kept"))->bytes), noise(20'000, 1));
    EXPECT_EQ(streamed(*record.tree.find(FieldPath("model/moved"))->bytes),
              noise(100'000, static_cast<unsigned>(step + 2)));
  }
  PruneOutcome prune(PruneChoice choice) { return prune_run(folder.path(), choice); }
  PruneOutcome keep(std::set<std::int64_t> steps) { return prune({std::move(steps), {}, false}); }
  std::string error_of(const PruneChoice& choice) {
    try {
      prune(choice);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const Entry& entry : list_tree(run.captures())) {
      if (entry.kind == EntryKind::file) names.push_back(entry.path);
    }
    return names;
  }

  TemporaryFolder folder;
  const RunFolder run{folder.path()};
};

TEST_F(PruneTest, ACaptureThatLostAManifestKeepsItsPacks) {
  capture(1);
  capture(2);
  const auto before = files();
  remove_tree(run.manifest(1, 0));
  EXPECT_THAT(error_of({}), HasSubstr("rank-0.json: the record of a rank is missing"));
  EXPECT_EQ(files().size() + 1, before.size());
  keep({2});
  expect_whole(2);
  EXPECT_FALSE(is_folder(run.capture(1)));
}

TEST_F(PruneTest, ASharedBlobIsCopiedBeforeItsPackGoes) {
  for (const std::int64_t step : {1, 2, 3}) capture(step);
  const PruneOutcome outcome = keep({3});
  EXPECT_THAT(outcome.kept, ElementsAre(3));
  EXPECT_THAT(outcome.removed, ElementsAre(1, 2));
  EXPECT_GT(outcome.bytes_freed, 190'000U);
  EXPECT_THAT(files(),
              ElementsAre("3/capture.json", "3/rank-0.0.pack", "3/rank-0.1.pack", "3/rank-0.json"));
  expect_whole(3);
}

TEST_F(PruneTest, APackThatIsMostlyNeededStaysWhereItIs) {
  for (const std::int64_t step : {1, 2}) capture(step);
  const std::string before = file_text(run.captures() + "/1/rank-0.0.pack");
  const PruneOutcome outcome = keep({1});
  EXPECT_EQ(file_text(run.captures() + "/1/rank-0.0.pack"), before);
  EXPECT_THAT(files(), ElementsAre("1/capture.json", "1/rank-0.0.pack", "1/rank-0.json"));
  EXPECT_EQ(outcome.packs.at(0).fate, PrunedPack::Fate::kept);
  expect_whole(1);
}

TEST_F(PruneTest, TheLastOnesAreCountedBySteps) {
  for (const std::int64_t step : {10, 2, 9}) capture(step);
  EXPECT_THAT(prune({{}, 2, false}).kept, ElementsAre(9, 10));
  EXPECT_THAT(prune({{9}, 1, false}).kept, ElementsAre(9, 10));
  expect_whole(9);
  expect_whole(10);
}

TEST_F(PruneTest, ADryRunChangesNothing) {
  for (const std::int64_t step : {1, 2, 3}) capture(step);
  const auto before = files();
  const PruneOutcome outcome = prune({{3}, {}, true});
  EXPECT_THAT(outcome.removed, ElementsAre(1, 2));
  EXPECT_GT(outcome.bytes_freed, 190'000U);
  EXPECT_EQ(files(), before);
}

TEST_F(PruneTest, WithoutAChoiceOnlyLeftoversGo) {
  for (const std::int64_t step : {1, 2}) capture(step);
  capture(2);  // replaced: its first pack is still needed
  put_file(run.capture(1) + "/.rank-0.7.pack.part", "half");
  put_file(run.capture(1) + "/rank-0.9.pack", "samestep pack 2\n");
  const PruneOutcome outcome = prune({});
  EXPECT_EQ(outcome.leftovers, 1U);
  EXPECT_THAT(outcome.removed, testing::IsEmpty());
  EXPECT_FALSE(is_regular_file(run.capture(1) + "/.rank-0.7.pack.part"));
  EXPECT_FALSE(is_regular_file(run.capture(1) + "/rank-0.9.pack"));
  expect_whole(1);
  expect_whole(2);
}

TEST_F(PruneTest, ACaptureThatARankStillWritesStays) {
  capture(1);
  capture(2);
  capture(5, 0, 2);
  const PruneOutcome outcome = prune({{}, 1, false});
  EXPECT_THAT(outcome.kept, ElementsAre(2, 5));
  EXPECT_THAT(outcome.notes, ElementsAre(HasSubstr("capture 5 is incomplete")));
  capture(5, 1, 2);
  EXPECT_EQ(read_capture(folder.path()).size(), 2U);
  // An incomplete one that is older than a complete one will not be completed.
  capture(7, 0, 2);
  capture(8);
  EXPECT_THAT(prune({{}, 1, false}).removed, ElementsAre(2, 5, 7));
}

TEST_F(PruneTest, AReaderOfAnythingGoesOn) {
  for (const std::int64_t step : {1, 2, 3}) capture(step);
  const auto kept = read_capture(run.capture(3)), removed = read_capture(run.capture(1));
  keep({3});
  expect_whole(kept.at(0), 3);
  expect_whole(removed.at(0), 1);
}

TEST_F(PruneTest, AWriterThatKnewARemovedBlobWritesItAgain) {
  capture(1);
  capture(2);
  keep({2});
  capture(3);
  keep({3});
  expect_whole(3);
}

TEST_F(PruneTest, WhatIsDamagedIsNeitherCopiedNorRemoved) {
  for (const std::int64_t step : {1, 2}) capture(step);
  const std::string pack = run.captures() + "/1/rank-0.0.pack";
  std::string text = file_text(pack);
  text[64 + 100] ^= 1;  // of model/kept
  put_file(pack, text);
  const PruneOutcome outcome = keep({2});
  EXPECT_THAT(outcome.notes, ElementsAre(HasSubstr("model/kept")));
  EXPECT_EQ(outcome.bytes_freed, 0U);
  EXPECT_EQ(file_text(pack), text);
}

TEST_F(PruneTest, ADamagedManifestOfOneToKeepStopsIt) {
  for (const std::int64_t step : {1, 2}) capture(step);
  std::string text = file_text(run.manifest(2, 0));
  text[text.size() / 2] ^= 1;
  put_file(run.manifest(2, 0), text);
  const auto before = files();
  EXPECT_THAT(error_of({{}, 1, false}), HasSubstr("2/rank-0.json"));
  EXPECT_EQ(files(), before);
  EXPECT_THAT(keep({1}).removed, ElementsAre(2));
  expect_whole(1);
}

TEST_F(PruneTest, StepsThatAreNotThereAreTold) {
  capture(1);
  EXPECT_THAT(error_of({{1, 4}, {}, false}), HasSubstr("no capture of step 4"));
  expect_whole(1);
  EXPECT_THROW(prune_run(folder / "none", {}), Error);
}

TEST_F(PruneTest, AWriterAtWorkIsNotDisturbed) {
  capture(1);
  StateRecord record(run, 0, 1, 2, "begin");
  EXPECT_THAT(prune({{1}, {}, true}).kept, ElementsAre(1));
  EXPECT_THAT(error_of({{1}, {}, false, 0}), HasSubstr("a capture is being written"));
}

}  // namespace
}  // namespace samestep
