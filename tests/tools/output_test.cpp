#include "tools/output.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "tests/schemas/json/expect_error.h"
#include "tests/support/temporary_folder.h"

namespace samestep {
namespace {

class OutputTest : public ::testing::Test {
 protected:
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      names.push_back(entry.path().filename());
    }
    return names;
  }
  TemporaryFolder folder_;
};

std::string content(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST_F(OutputTest, WritesAndReplacesAWholeFile) {
  write_file(folder_ / "file", "first");
  write_file(folder_ / "file", std::string(100000, 'x'));
  EXPECT_EQ(content(folder_ / "file"), std::string(100000, 'x'));
  EXPECT_THAT(names(), ::testing::ElementsAre("file"));
}

TEST_F(OutputTest, WhatIsNoReportIsNotOverwritten) {
  write_file(folder_ / "ck.pt", "PK\3\4...");
  write_file(folder_ / "old.html", "<!doctype html>\n<html>");
  write_file(folder_ / "old.xml", "<?xml version=\"1.0\"?>");
  write_file(folder_ / "empty", "");
  std::filesystem::create_symlink(folder_ / "ck.pt", folder_ / "link");
  EXPECT_ERROR(refuse_overwriting(folder_ / "ck.pt"), usage, "is no report");
  EXPECT_ERROR(refuse_overwriting(folder_ / "link"), usage, "give the report another name");
  for (const char* name : {"old.html", "old.xml", "empty", "new.html"})
    EXPECT_NO_THROW(refuse_overwriting(folder_ / name)) << name;
}

TEST_F(OutputTest, AFolderThatIsNotThereIsSaid) {
  EXPECT_ERROR(write_file(folder_ / "none/file", "x"), not_found, "No such file or directory");
  EXPECT_ERROR(refuse_unwritable(folder_ / "none/file"), unreadable, "name a file in a folder");
  EXPECT_ERROR(refuse_unwritable(folder_.path()), unreadable, "name a file in a folder");
  EXPECT_ERROR(refuse_unwritable(folder_ / "none/"), unreadable, "name a file in a folder");
  EXPECT_NO_THROW(refuse_unwritable(folder_ / "file"));
  EXPECT_THAT(names(), ::testing::IsEmpty());
}

TEST_F(OutputTest, ALinkStaysAndItsTargetIsReplaced) {
  folder_.write("there/file", "before");
  std::filesystem::create_symlink("there/file", folder_ / "link");
  write_file(folder_ / "link", "after");
  EXPECT_EQ(content(folder_ / "there/file"), "after");
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link"));
}

TEST_F(OutputTest, ADeviceIsWrittenToAndStaysOne) {
  EXPECT_NO_THROW(refuse_unwritable("/dev/full"));
  EXPECT_ERROR(write_file("/dev/full", "x"), failed, "/dev/full: cannot be written");
  EXPECT_ERROR(write_file("/dev/full", "x"), failed, "free space");
  write_file("/dev/null", "x");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(OutputTest, AFifoThatNobodyReadsIsNotWaitedForForEver) {
  const std::string path = folder_ / "fifo";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_ERROR(write_file(path, "x", 30), failed, "nobody reads this FIFO");
  const int reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
  write_file(path, "for its reader", 30);
  char text[32] = {};
  EXPECT_EQ(::read(reader, text, sizeof text), 14);
  EXPECT_STREQ(text, "for its reader");
  ::close(reader);
}

TEST_F(OutputTest, APathThroughAFileIsRefusedForThat) {
  folder_.write("file", "x");
  EXPECT_ERROR(refuse_unwritable(folder_ / "file/report.html"), unreadable, "Not a directory");
}

TEST_F(OutputTest, ACircleOfLinksIsRefusedBeforehand) {
  std::filesystem::create_symlink("other", folder_ / "one");
  std::filesystem::create_symlink("one", folder_ / "other");
  EXPECT_ERROR(refuse_unwritable(folder_ / "one"), unreadable, "Too many levels of symbolic links");
}

TEST_F(OutputTest, AFullDiskIsSaid) {
  const int full = ::open("/dev/full", O_WRONLY);
  ASSERT_GE(full, 0) << "no /dev/full here";
  EXPECT_ERROR(write_all(full, "x", "standard output"), failed,
               "standard output: cannot be written");
  ::close(full);
}

TEST_F(OutputTest, AClosedPipeIsAnErrorAndNoSignal) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  EXPECT_ERROR(write_all(ends[1], "x", "standard output"), failed,
               "its reader has gone; read it to its end");
  ::close(ends[1]);
}

TEST_F(OutputTest, ALongTextPassesAPipeInPieces) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const std::string text(300000, 'y');
  const pid_t child = ::fork();
  if (child == 0) {
    std::size_t count = 0;
    char buffer[4096];
    ::close(ends[1]);
    for (ssize_t n; (n = ::read(ends[0], buffer, sizeof buffer)) > 0;) {
      count += static_cast<std::size_t>(n);
    }
    ::_exit(count == 300000 ? 0 : 1);
  }
  ::close(ends[0]);
  write_all(ends[1], text, "pipe");
  ::close(ends[1]);
  int status = 1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(OutputTest, ClosedStandardDescriptorsAreHeld) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(1);
    hold_standard_descriptors();
    const bool taken = ::fcntl(1, F_GETFD) != -1;
    const bool refuses = ::write(1, "x", 1) < 0;
    ::_exit(taken && refuses ? 0 : 1);
  }
  int status = 1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace samestep
