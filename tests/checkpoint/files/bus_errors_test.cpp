#include "checkpoint/files/bus_errors.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "../byte_helpers.h"
#include "checkpoint/files/mapped_file.h"
#include "tests/support/temporary_folder.h"

namespace samestep {
namespace {

TEST(BusErrorsDeathTest, AFileThatShrinksEndsTheProgramWithAMessage) {
  const TemporaryFolder folder;
  put_file(folder / "file", std::string(1 << 16, 'x'));
  const auto file = MappedFile::open(folder / "file");
  ASSERT_EQ(::truncate((folder / "file").c_str(), 0), 0);
  EXPECT_EXIT(
      {
        report_bus_errors();
        const volatile std::byte byte = file->bytes()[1 << 15];
        ::_exit(static_cast<int>(byte));
      },
      testing::ExitedWithCode(2), "became shorter");
}

}  // namespace
}  // namespace samestep
