#include "resume_check/branch.h"

#include <gtest/gtest.h>

#include "schemas/error.h"
#include "tests/support/temporary_folder.h"

namespace samestep {
namespace {

TEST(Branch, PlaceholdersAreFilledInWhereverTheyStand) {
  EXPECT_EQ(filled_in("--out={out}/a", "/o", "/c"), "--out=/o/a");
  EXPECT_EQ(filled_in("{checkpoint}:{checkpoint}", "/o", "/c"), "/c:/c");
  EXPECT_EQ(filled_in("{other}", "/o", "/c"), "{other}");
}

TEST(Branch, OnePatternOneCheckpoint) {
  const TemporaryFolder folder;
  folder.write("out/checkpoint-4/model.bin", "x");
  EXPECT_EQ(find_checkpoint(folder / "out", "checkpoint-4"), "checkpoint-4");
  EXPECT_EQ(find_checkpoint(folder / "out", "check*"), "checkpoint-4");
}

std::string refused(const std::string& out, const std::string& glob) {
  try {
    find_checkpoint(out, glob);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Branch, NoneOrTwoAreRefusedWithWhatIsThere) {
  const TemporaryFolder folder;
  EXPECT_NE(refused(folder / "out", "a").find("empty"), std::string::npos);
  folder.write("out/a-1", "x");
  folder.write("out/a-2", "x");
  EXPECT_NE(refused(folder / "out", "b").find("a-1, a-2"), std::string::npos);
  EXPECT_NE(refused(folder / "out", "a-*").find("2 checkpoints match"), std::string::npos);
}

}  // namespace
}  // namespace samestep
