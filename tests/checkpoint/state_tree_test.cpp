#include "checkpoint/state_tree.h"

#include <gtest/gtest.h>

namespace samestep {
namespace {

StateEntry named(const std::string& path) {
  StateEntry entry;
  entry.field.path = FieldPath(path);
  return entry;
}

TEST(StateTree, KeepsTheOrderAndFindsByPath) {
  StateTree tree;
  tree.add(named("model/b"));
  tree.add(named("model/a"));
  ASSERT_EQ(tree.entries().size(), 2U);
  EXPECT_EQ(tree.entries()[0].field.path.text(), "model/b");
  EXPECT_EQ(tree.find(FieldPath("model/a")), &tree.entries()[1]);
  EXPECT_EQ(tree.find(FieldPath("model/c")), nullptr);
}

TEST(StateTree, APathThatIsThereGetsANumber) {
  StateTree tree;
  tree.add(named("model/a"));
  EXPECT_EQ(tree.add(named("model/a")).field.path.text(), "model/a#2");
  EXPECT_EQ(tree.add(named("model/a")).field.path.text(), "model/a#3");
  EXPECT_NE(tree.find(FieldPath("model/a#3")), nullptr);
}

}  // namespace
}  // namespace samestep
