#include "resume_check/shortage.h"

#include <gtest/gtest.h>

#include "tests/resume_check/fixture.h"
#include "tests/support/temporary_folder.h"

namespace samestep {
namespace {

using testing::Leg;

TEST(Shortage, TheCommandsLogTells) {
  const TemporaryFolder folder;
  folder.write("log.txt",
               std::string(40000, 'x') + "\nOSError: [Errno 28] No space left on device\n");
  const auto shortage = disk_shortage(folder.path(), folder / "log.txt", {});
  ASSERT_TRUE(shortage);
  EXPECT_NE(shortage->find("No space left on device"), std::string::npos);
}

TEST(Shortage, AnEarlyLineOfALongLogDoesNot) {
  const TemporaryFolder folder;
  folder.write("log.txt", "No space left on device\n" + std::string(40000, 'x'));
  EXPECT_FALSE(disk_shortage(folder.path(), folder / "log.txt", {}));
}

TEST(Shortage, AnErrorOfTheRecorderTells) {
  const TemporaryFolder folder;
  const auto record =
      Leg()
          .event("recorder_error", R"({"error":"cannot write: No space left on device"})")
          .record();
  const auto other = Leg().event("recorder_error", R"({"error":"KeyError: 'x'"})").record();
  EXPECT_TRUE(disk_shortage(folder.path(), folder / "none", {record}));
  EXPECT_FALSE(disk_shortage(folder.path(), folder / "none", {other}));
}

TEST(Shortage, LittleFreeSpaceTells) {
  EXPECT_TRUE(is_full(1ull << 30, 4096));
  EXPECT_FALSE(is_full(1ull << 30, 1ull << 24));
  EXPECT_FALSE(is_full(0, 0)) << "a file system that tells no size";
  EXPECT_FALSE(disk_shortage("/nowhere", "/nowhere", {}));
}

}  // namespace
}  // namespace samestep
