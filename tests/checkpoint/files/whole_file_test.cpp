// A file is there whole or not at all: a full disk, a folder that is gone, an end without commit.
#include "checkpoint/files/whole_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "../byte_helpers.h"
#include "checkpoint/files/folder.h"
#include "limits.h"
#include "schemas/error.h"
#include "tests/support/temporary_folder.h"

namespace samestep {
namespace {

TEST(WholeFile, AppearsWithCommit) {
  const TemporaryFolder folder;
  WholeFile file(folder / "file");
  file.write("hello ");
  file.write(std::string(3 << 20, 'x'));
  file.write(" world");
  EXPECT_EQ(file.size(), 12U + (3U << 20));
  EXPECT_FALSE(is_regular_file(folder / "file"));
  file.commit();
  EXPECT_EQ(file_text(folder / "file"), "hello " + std::string(3 << 20, 'x') + " world");
  EXPECT_EQ(list_folder(folder.path()).size(), 1U);
}

TEST(WholeFile, WithoutCommitThePreviousOneStays) {
  const TemporaryFolder folder;
  write_whole_file(folder / "file", "before");
  {
    WholeFile file(folder / "file");
    file.write("after");
  }
  EXPECT_EQ(file_text(folder / "file"), "before");
  EXPECT_EQ(list_folder(folder.path()).size(), 1U);
}

TEST(WholeFile, AFullDiskIsToldAndLeavesNothing) {
  const TemporaryFolder folder;
  write_whole_file(folder / "file", "before");
  const FileSizeLimit limit(100'000);
  WholeFile file(folder / "file");
  try {
    file.write(std::string(200'000, 'x'));
    file.commit();
    ADD_FAILURE() << "written";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::failed);
    EXPECT_EQ(error.where(), folder / "file");
    EXPECT_FALSE(error.remedy().empty());
  }
  EXPECT_EQ(file_text(folder / "file"), "before");
  EXPECT_EQ(list_folder(folder.path()).size(), 1U);
}

TEST(WholeFile, AFolderThatIsNotThereIsTold) {
  const TemporaryFolder folder;
  EXPECT_THROW(WholeFile(folder / "nothing/file"), Error);
  make_folders(folder / "target");
  WholeFile file(folder / "target");
  file.write("x");
  EXPECT_THROW(file.commit(), Error);
  EXPECT_EQ(list_folder(folder.path()).size(), 1U);
}

TEST(WholeFile, TwoWritersOfOneFileDoNotMeet) {
  const TemporaryFolder folder;
  WholeFile first(folder / "file"), second(folder / "file");
  first.write("first");
  second.write("second");
  first.commit();
  second.commit();
  EXPECT_EQ(file_text(folder / "file"), "second");
}

TEST(WholeFile, UnfinishedNamesAreKnown) {
  EXPECT_TRUE(is_unfinished_name(".rank-0.json.12.0.part"));
  EXPECT_FALSE(is_unfinished_name("rank-0.json"));
  EXPECT_FALSE(is_unfinished_name(".part"));
}

}  // namespace
}  // namespace samestep
