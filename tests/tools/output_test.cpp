#include "tools/output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "tests/schemas/json/expect_error.h"

namespace samestep {
namespace {

class OutputTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "output-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    ::unlink((folder_ + "/file").c_str());
    EXPECT_EQ(::rmdir(folder_.c_str()), 0) << "something was left in " << folder_;
  }
  std::string folder_;
};

std::string content(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST_F(OutputTest, WritesAndReplacesAWholeFile) {
  write_file(folder_ + "/file", "first");
  write_file(folder_ + "/file", std::string(100000, 'x'));
  EXPECT_EQ(content(folder_ + "/file"), std::string(100000, 'x'));
}

TEST_F(OutputTest, AFolderThatIsNotThereIsSaid) {
  EXPECT_ERROR(write_file(folder_ + "/none/file", "x"), unreadable, "cannot be written");
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
  EXPECT_ERROR(write_all(ends[1], "x", "standard output"), failed, "Broken pipe");
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
