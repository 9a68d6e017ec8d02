#include <gtest/gtest.h>

#include "capture/checkpoint_copy.h"
#include "tests/checkpoint/byte_helpers.h"
#include "tests/checkpoint/temporary_folder.h"

namespace samestep {
namespace {

TEST(CheckpointLook, WhatIsNotThereCannotBeRead) {
  const TemporaryFolder folder;
  EXPECT_FALSE(look_at_checkpoint(folder / "nothing").readable);
}

}  // namespace
}  // namespace samestep
