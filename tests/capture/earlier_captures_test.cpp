// What earlier captures hold is known as long as it can be relied on.
#include "capture/earlier_captures.h"

#include <gtest/gtest.h>

#include "capture/seal.h"
#include "checkpoint/files/folder.h"
#include "checkpoint/files/whole_file.h"
#include "schemas/json/capture_json.h"
#include "tests/checkpoint/byte_helpers.h"
#include "tests/support/temporary_folder.h"

namespace samestep {
namespace {

class EarlierCapturesTest : public testing::Test {
 protected:
  /// A capture of one blob of digest {1, mark} at byte 64 of its pack, and the pack.
  CaptureRank put(std::int64_t step, std::uint64_t mark, std::size_t pack_bytes = 74) {
    make_folders(run.capture(step));
    CaptureRank capture;
    capture.completed = step;
    capture.boundary.phase = "begin";
    capture.blobs[{1, mark}] = {RunFolder::pack_name(step, 0, 0), 64, 10, "raw"};
    put_file(run.captures() + "/" + RunFolder::pack_name(step, 0, 0), std::string(pack_bytes, 'x'));
    write_whole_file(run.manifest(step, 0), sealed(capture_rank_to_json(capture)));
    return capture;
  }
  bool is_known(std::uint64_t mark) { return earlier.known(run)->find({1, mark}) != nullptr; }

  TemporaryFolder folder;
  const RunFolder run{folder.path()};
  EarlierCaptures earlier;
};

TEST_F(EarlierCapturesTest, WhatStandsThereIsKnown) {
  EXPECT_FALSE(is_known(1));
  put(4, 1);
  EXPECT_TRUE(is_known(1));
  put(8, 2);
  EXPECT_TRUE(is_known(1));
  EXPECT_TRUE(is_known(2));
}

TEST_F(EarlierCapturesTest, WhatWasRemovedIsForgotten) {
  put(4, 1);
  put(8, 2);
  EXPECT_TRUE(is_known(1));
  remove_tree(run.capture(4));
  EXPECT_FALSE(is_known(1));
  EXPECT_TRUE(is_known(2));
}

TEST_F(EarlierCapturesTest, WhatWasWrittenIsLearntUntilItIsReplaced) {
  earlier.known(run);
  earlier.learn(run.manifest(4, 0), put(4, 1));
  EXPECT_TRUE(is_known(1));
  earlier.learn(run.manifest(4, 0), put(4, 2));
  EXPECT_FALSE(is_known(1));
  EXPECT_TRUE(is_known(2));
}

TEST_F(EarlierCapturesTest, ABlobWhosePackIsGoneOrCutIsWrittenAgain) {
  put(4, 1, 73);
  put(8, 2);
  remove_tree(run.captures() + "/" + RunFolder::pack_name(8, 0, 0));
  EXPECT_FALSE(is_known(1));
  EXPECT_FALSE(is_known(2));
}

TEST_F(EarlierCapturesTest, ADamagedManifestCostsNoCapture) {
  put(4, 1);
  put(8, 2);
  std::string text = file_text(run.manifest(4, 0));
  text[text.find("raw")] = 'R';
  put_file(run.manifest(4, 0), text);
  EXPECT_FALSE(is_known(1));
  EXPECT_TRUE(is_known(2));
}

}  // namespace
}  // namespace samestep
