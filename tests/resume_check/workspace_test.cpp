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

std::string refusal(const std::string& path) {
  try {
    Workspace::open(path);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Workspace, AFolderOfSomebodyElseIsNotMixedInto) {
  const TemporaryFolder folder;
  folder.write("thesis.tex", "x");
  EXPECT_NE(refusal(folder.path()).find("not empty"), std::string::npos);
  EXPECT_TRUE(std::filesystem::exists(folder / "thesis.tex"));
  std::filesystem::create_directory(folder / "empty");
  EXPECT_EQ(refusal(folder / "empty"), "");
}

TEST(Workspace, WithoutANameItIsFresh) {
  const auto first = Workspace::open(""), second = Workspace::open("");
  EXPECT_NE(first.path(), second.path());
  std::filesystem::remove_all(first.path());
  std::filesystem::remove_all(second.path());
}

}  // namespace
}  // namespace samestep
