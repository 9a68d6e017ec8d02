#include "resume_check/cancel.h"

#include <gtest/gtest.h>

#include "schemas/error.h"

namespace samestep {
namespace {

TEST(Cancel, IsAskedForOnceAndSeenEverywhere) {
  reset_cancel();
  EXPECT_NO_THROW(throw_if_cancelled("audit"));
  request_cancel();
  EXPECT_TRUE(cancel_requested());
  EXPECT_THROW(throw_if_cancelled("audit"), Error);
  reset_cancel();
  EXPECT_FALSE(cancel_requested());
}

}  // namespace
}  // namespace samestep
