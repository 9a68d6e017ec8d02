// When an output folder is copied: one match, at rest, readable, of the asked step.
#include "capture/checkpoint_copy.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "checkpoint/files/folder.h"
#include "schemas/error.h"
#include "tests/checkpoint/byte_helpers.h"
#include "tests/support/temporary_folder.h"

namespace samestep {
namespace {

constexpr CopyEffort kWait{true, false}, kLastChance{true, true};

class CheckpointCopyTest : public testing::Test {
 protected:
  CheckpointCopyTest() {
    plan.out = folder / "out";
    plan.copy_to = folder / "branch";
    plan.checkpoint = "*.pt";
    make_folders(plan.out);
  }
  /// Reads a checkpoint whose text is its step; "?" says none, anything else is unreadable.
  static CheckpointLook look(const std::string& path) {
    const std::string text = file_text(path);
    if (text == "?") return {true, true, {}};
    if (text == "holes") return {true, false, 4};
    if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos) return {};
    return {true, true, std::stoll(text)};
  }
  void save(const std::string& name, const std::string& text) {
    put_file(plan.out + "/" + name, text);
  }
  std::string copied(const std::string& name) const { return file_text(plan.copy_to + "/" + name); }

  TemporaryFolder folder;
  Plan plan;
};

TEST_F(CheckpointCopyTest, CopiesTheWholeFolderOnceTheCheckpointIsAtRest) {
  CheckpointCopy copy(plan, look);
  EXPECT_FALSE(copy.is_there());
  EXPECT_FALSE(copy.attempt(4, kWait));
  save("a.pt", "4");
  save("log.txt", "hello");
  EXPECT_TRUE(copy.is_there());
  EXPECT_TRUE(copy.attempt(4, kWait));
  EXPECT_EQ(copied("a.pt"), "4");
  EXPECT_EQ(copied("log.txt"), "hello");
  EXPECT_TRUE(copy.is_done());
}

TEST_F(CheckpointCopyTest, WithoutWaitingTwoLooksMustLieApart) {
  save("a.pt", "4");
  CheckpointCopy copy(plan, look);
  EXPECT_FALSE(copy.attempt(4, {}));
  EXPECT_FALSE(copy.attempt(4, {}));
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  EXPECT_TRUE(copy.attempt(4, {}));
}

TEST_F(CheckpointCopyTest, AFileThatStillGrowsIsNotCopied) {
  save("a.pt", "4");
  CheckpointCopy copy(plan, look);
  EXPECT_FALSE(copy.attempt(4, {}));
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  save("a.pt", "44");
  EXPECT_FALSE(copy.attempt(4, {}));
  EXPECT_FALSE(is_folder(plan.copy_to));
}

TEST_F(CheckpointCopyTest, TwoMatchesAreNone) {
  save("a.pt", "4");
  save("b.pt", "4");
  CheckpointCopy copy(plan, look);
  EXPECT_TRUE(copy.is_there());
  EXPECT_FALSE(copy.attempt(4, kLastChance));
}

TEST_F(CheckpointCopyTest, WhatCannotBeReadIsNotTaken) {
  save("a.pt", "half");
  CheckpointCopy copy(plan, look);
  EXPECT_FALSE(copy.attempt(4, kLastChance));
  save("a.pt", "4");
  EXPECT_TRUE(copy.attempt(4, kWait));
  EXPECT_EQ(list_folder(folder.path()).size(), 2U);
}

TEST_F(CheckpointCopyTest, AnEarlierStepIsPassedOverWhenTheRightOneComes) {
  save("a.pt", "2");
  CheckpointCopy copy(plan, look);
  EXPECT_FALSE(copy.attempt(4, kWait));
  save("a.pt", "4");
  EXPECT_TRUE(copy.attempt(4, kWait));
  EXPECT_EQ(copied("a.pt"), "4");
  EXPECT_EQ(list_folder(folder.path()).size(), 2U);
}

TEST_F(CheckpointCopyTest, AnotherStepIsTakenWhenNothingBetterComes) {
  save("a.pt", "2");
  CheckpointCopy copy(plan, look);
  EXPECT_FALSE(copy.attempt(4, kWait));
  save("a.pt", "6");
  EXPECT_FALSE(copy.attempt(4, kWait));
  EXPECT_TRUE(copy.attempt(4, kLastChance));
  EXPECT_EQ(copied("a.pt"), "2");
  EXPECT_EQ(list_folder(folder.path()).size(), 2U);
}

TEST_F(CheckpointCopyTest, OneWithHolesIsTakenWhenNothingBetterComes) {
  save("a.pt", "holes");
  CheckpointCopy copy(plan, look);
  EXPECT_FALSE(copy.attempt(4, kWait));
  EXPECT_FALSE(is_folder(plan.copy_to));
  EXPECT_TRUE(copy.attempt(4, kLastChance));
  EXPECT_EQ(copied("a.pt"), "holes");
}

TEST_F(CheckpointCopyTest, AStepThatIsNotSaidIsTaken) {
  save("a.pt", "?");
  CheckpointCopy copy(plan, look);
  EXPECT_TRUE(copy.attempt(4, kWait));
}

TEST_F(CheckpointCopyTest, WithoutAGlobTheWholeFolderMustBeAtRest) {
  plan.checkpoint.clear();
  save("anything", "x");
  CheckpointCopy copy(plan, look);
  EXPECT_FALSE(copy.is_there());
  EXPECT_FALSE(copy.attempt(4, {}));
  EXPECT_TRUE(copy.attempt(4, kWait));
  EXPECT_EQ(copied("anything"), "x");
}

TEST_F(CheckpointCopyTest, NothingIsCopiedWhereNothingIsAsked) {
  plan.copy_to.clear();
  EXPECT_TRUE(CheckpointCopy(plan, look).is_done());
}

TEST_F(CheckpointCopyTest, ABadGlobIsRefusedAtOnce) {
  plan.checkpoint = "/etc/*";
  EXPECT_THROW(CheckpointCopy(plan, look), Error);
}

}  // namespace
}  // namespace samestep
