#include "checkpoint/files/copy_tree.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

#include "../byte_helpers.h"
#include "checkpoint/files/file_stamp.h"
#include "checkpoint/files/folder.h"
#include "limits.h"
#include "schemas/error.h"
#include "tests/support/temporary_folder.h"

namespace samestep {
namespace {

class CopyTreeTest : public testing::Test {
 protected:
  CopyTreeTest() {
    make_folders(source + "/inner/empty");
    put_file(source + "/file", "hello");
    put_file(source + "/inner/large", std::string(3'000'000, 'x'));
  }
  static std::string link_text(const std::string& path) {
    std::array<char, 4096> text = {};
    const auto size = ::readlink(path.c_str(), text.data(), text.size());
    return size < 0 ? "" : std::string(text.data(), static_cast<std::size_t>(size));
  }

  TemporaryFolder folder;
  const std::string source = folder / "source", target = folder / "target";
};

TEST_F(CopyTreeTest, CopiesFilesAndFolders) {
  copy_tree(source, target);
  EXPECT_EQ(file_text(target + "/file"), "hello");
  EXPECT_EQ(file_text(target + "/inner/large"), file_text(source + "/inner/large"));
  EXPECT_TRUE(is_folder(target + "/inner/empty"));
  EXPECT_EQ(list_folder(folder.path()).size(), 2U);
}

TEST_F(CopyTreeTest, KeepsModesAndTimes) {
  const std::array<timespec, 2> times = {timespec{1000, 0}, timespec{2000, 7}};
  ASSERT_EQ(::chmod((source + "/file").c_str(), 0440), 0);
  ASSERT_EQ(::utimensat(AT_FDCWD, (source + "/file").c_str(), times.data(), 0), 0);
  ASSERT_EQ(::utimensat(AT_FDCWD, (source + "/inner").c_str(), times.data(), 0), 0);
  copy_tree(source, target);
  for (const char* name : {"/file", "/inner"}) {
    struct stat status = {};
    ASSERT_EQ(::stat((target + name).c_str(), &status), 0);
    EXPECT_EQ(status.st_mtim.tv_sec, 2000) << name;
    EXPECT_EQ(status.st_mtim.tv_nsec, 7) << name;
  }
  struct stat status = {};
  ASSERT_EQ(::stat((target + "/file").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0440U);
}

TEST_F(CopyTreeTest, LinksStayLinksInsideTheCopy) {
  ASSERT_EQ(::symlink("file", (source + "/relative").c_str()), 0);
  ASSERT_EQ(::symlink((source + "/file").c_str(), (source + "/absolute").c_str()), 0);
  ASSERT_EQ(::symlink("/dev/null", (source + "/outside").c_str()), 0);
  copy_tree(source, target);
  EXPECT_EQ(link_text(target + "/relative"), "file");
  EXPECT_EQ(link_text(target + "/absolute"), target + "/file");
  EXPECT_EQ(link_text(target + "/outside"), "/dev/null");
}

TEST_F(CopyTreeTest, FifosAreLeftOut) {
  ASSERT_EQ(::mkfifo((source + "/fifo").c_str(), 0600), 0);
  copy_tree(source, target);
  EXPECT_TRUE(stamps_below(target).contains("file"));
  EXPECT_FALSE(stamps_below(target).contains("fifo"));
}

TEST_F(CopyTreeTest, AFullDiskLeavesNothing) {
  const FileSizeLimit limit(1'000'000);
  EXPECT_THROW(copy_tree(source, target), Error);
  EXPECT_EQ(list_folder(folder.path()).size(), 1U);
}

TEST_F(CopyTreeTest, NothingToCopyIsTold) {
  EXPECT_THROW(copy_tree(folder / "nothing", target), Error);
}

}  // namespace
}  // namespace samestep
