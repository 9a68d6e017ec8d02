#include "checkpoint/files/file_stamp.h"

#include <gtest/gtest.h>

#include "../byte_helpers.h"
#include "checkpoint/files/folder.h"
#include "tests/support/temporary_folder.h"

namespace samestep {
namespace {

TEST(FileStamp, ATouchedFileHasAnotherStamp) {
  const TemporaryFolder folder;
  put_file(folder / "a", "x");
  const auto before = stamps_below(folder.path());
  ASSERT_EQ(before.size(), 1U);
  EXPECT_EQ(stamps_below(folder.path()), before);
  put_file(folder / "a", "xy");
  EXPECT_NE(stamps_below(folder.path()), before);
}

TEST(FileStamp, AFileThatIsReplacedOrAddedIsSeen) {
  const TemporaryFolder folder;
  put_file(folder / "a", "x");
  const auto file = stamps_below(folder / "a");
  EXPECT_EQ(file.size(), 1U);
  put_file(folder / "b", "x");
  ASSERT_EQ(std::rename((folder / "b").c_str(), (folder / "a").c_str()), 0);
  EXPECT_NE(stamps_below(folder / "a"), file);
  make_folders(folder / "inner");
  put_file(folder / "inner/c", "x");
  EXPECT_TRUE(stamps_below(folder.path()).contains("inner/c"));
}

TEST(FileStamp, NothingThereIsNoStamp) {
  const TemporaryFolder folder;
  EXPECT_TRUE(stamps_below(folder / "nothing").empty());
  EXPECT_TRUE(stamps_below(folder.path()).empty());
}

}  // namespace
}  // namespace samestep
