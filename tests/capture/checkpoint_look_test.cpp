// What the readers say of a checkpoint that is whole, cut, or none.
#include <gtest/gtest.h>

#include "capture/checkpoint_copy.h"
#include "tests/checkpoint/byte_helpers.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_data.h"

namespace samestep {
namespace {

const std::string kWhole = test_data("samples/handed/plain-loop-full/ckpt.pt");

TEST(CheckpointLook, AWholeCheckpointIsReadAndSaysItsStep) {
  const CheckpointLook look = look_at_checkpoint(kWhole);
  EXPECT_TRUE(look.readable);
  EXPECT_TRUE(look.is_complete);
  EXPECT_TRUE(look.step.has_value());
}

TEST(CheckpointLook, ACheckpointThatIsCutIsNotWhole) {
  const TemporaryFolder folder;
  const std::string whole = file_text(kWhole);
  ASSERT_FALSE(whole.empty());
  for (const std::size_t size : {std::size_t{0}, whole.size() / 2, whole.size() - 1}) {
    put_file(folder / "ckpt.pt", whole.substr(0, size));
    EXPECT_FALSE(look_at_checkpoint(folder / "ckpt.pt").readable) << size;
  }
}

TEST(CheckpointLook, ASampleWithAMissingShardIsNotComplete) {
  const auto look = look_at_checkpoint(test_data("samples/hostile/dcp-missing-shard"));
  EXPECT_FALSE(look.readable && look.is_complete);
}

TEST(CheckpointLook, WhatIsNotThereCannotBeRead) {
  const TemporaryFolder folder;
  EXPECT_FALSE(look_at_checkpoint(folder / "nothing").readable);
}

}  // namespace
}  // namespace samestep
