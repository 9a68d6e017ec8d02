#include "capture/claim.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "schemas/error.h"
#include "tests/checkpoint/byte_helpers.h"
#include "tests/support/temporary_folder.h"

namespace samestep {
namespace {

TEST(Claim, TheFirstProcessHasTheRank) {
  const TemporaryFolder folder;
  EXPECT_TRUE(claim_rank(folder / "rank-0.claim"));
  EXPECT_FALSE(claim_rank(folder / "rank-0.claim"));
  EXPECT_TRUE(claim_rank(folder / "rank-1.claim"));
  EXPECT_EQ(file_text(folder / "rank-0.claim"), std::to_string(::getpid()) + "\n");
}

TEST(Claim, AFolderThatIsNotThereIsTold) {
  const TemporaryFolder folder;
  EXPECT_THROW(claim_rank(folder / "nothing/rank-0.claim"), Error);
}

}  // namespace
}  // namespace samestep
