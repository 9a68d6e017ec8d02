// Locks: several who write, or one who removes.
#include "checkpoint/files/file_lock.h"

#include <gmock/gmock.h>

#include <optional>
#include <thread>

#include "schemas/error.h"
#include "tests/support/temporary_folder.h"

namespace samestep {
namespace {

using Kind = FileLock::Kind;

std::string error_of(const std::string& path, Kind kind, int wait_ms_max = 0) {
  try {
    const FileLock lock(path, kind, wait_ms_max, "somebody works there");
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(FileLock, SharedOnesGoTogetherAndAnExclusiveOneAlone) {
  const TemporaryFolder folder;
  const std::string path = folder / "lock";
  std::optional<FileLock> first(std::in_place, path, Kind::shared, 0, "busy");
  EXPECT_EQ(error_of(path, Kind::shared), "");
  EXPECT_THAT(error_of(path, Kind::exclusive), testing::HasSubstr("somebody works there"));
  first.reset();
  EXPECT_EQ(error_of(path, Kind::exclusive), "");
  const FileLock alone(path, Kind::exclusive, 0, "busy");
  EXPECT_THAT(error_of(path, Kind::shared), testing::HasSubstr("somebody works there"));
  EXPECT_THAT(error_of(path, Kind::exclusive), testing::HasSubstr("somebody works there"));
}

TEST(FileLock, OneWaitsForTheOther) {
  const TemporaryFolder folder;
  const std::string path = folder / "lock";
  std::optional<FileLock> first(std::in_place, path, Kind::exclusive, 0, "busy");
  std::thread other([&] { EXPECT_EQ(error_of(path, Kind::shared, 60'000), ""); });
  first.reset();
  other.join();
}

TEST(FileLock, AFolderThatIsNotThereIsTold) {
  const TemporaryFolder folder;
  EXPECT_THAT(error_of(folder / "none/lock", Kind::shared), testing::HasSubstr("none/lock"));
}

}  // namespace
}  // namespace samestep
