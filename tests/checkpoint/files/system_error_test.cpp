#include "checkpoint/files/system_error.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace samestep {
namespace {

TEST(SystemError, HasACodeAPlaceAndARemedy) {
  const std::pair<int, ErrorCode> cases[] = {
      {ENOENT, ErrorCode::not_found}, {EACCES, ErrorCode::unreadable}, {EIO, ErrorCode::unreadable},
      {ENOSPC, ErrorCode::failed},    {EMFILE, ErrorCode::limit},
  };
  for (const auto& [number, code] : cases) {
    const Error error = system_error(number, "cannot write", "some/file");
    EXPECT_EQ(error.code(), code) << number;
    EXPECT_EQ(error.where(), "some/file");
    EXPECT_TRUE(error.message().starts_with("cannot write: ")) << error.message();
    EXPECT_FALSE(error.remedy().empty()) << number;
  }
  EXPECT_EQ(system_error(EDOM, "cannot think", "x").code(), ErrorCode::failed);
}

}  // namespace
}  // namespace samestep
