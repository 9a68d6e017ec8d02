#include "resume_check/workspace.h"

#include <gtest/gtest.h>

#include "schemas/error.h"
#include "tests/support/temporary_folder.h"

namespace samestep {
namespace {

TEST(Workspace, LegsStartEmptyOrFromTheBranch) {
  const TemporaryFolder folder;
  const auto work = Workspace::open(folder / "new/work");
  work.make_leg("first", false);
  EXPECT_TRUE(std::filesystem::is_empty(work.out("first")));
  folder.write("new/work/branch/checkpoint", "x");
  work.make_leg("second", true);
  EXPECT_TRUE(std::filesystem::exists(work.out("second") + "/checkpoint"));
}

TEST(Workspace, AnEarlierAuditIsNotMixedIn) {
  const TemporaryFolder folder;
  folder.write("uninterrupted/log.txt", "x");
  EXPECT_THROW(Workspace::open(folder.path()), Error);
  folder.write("file", "x");
  EXPECT_THROW(Workspace::open(folder / "file"), Error);
}

TEST(Workspace, WithoutANameItIsFresh) {
  const auto first = Workspace::open(""), second = Workspace::open("");
  EXPECT_NE(first.path(), second.path());
  std::filesystem::remove_all(first.path());
  std::filesystem::remove_all(second.path());
}

}  // namespace
}  // namespace samestep
