#include "checkpoint/naming/key_tree.h"

#include <gtest/gtest.h>

#include "tests/checkpoint/naming/sketch.h"

namespace samestep {
namespace {

using sketch::Keys;
using sketch::Sketch;

TEST(KeyTree, one_root_a_file_and_children_in_order) {
  const Document document = Sketch()
                                .in("a.pt")
                                .integer({"z", 0}, 1)
                                .integer({"y"}, 2)
                                .tensor({"z", 1}, {3})
                                .in("b.pt")
                                .integer({"x"}, 3)
                                .take();
  const KeyTree tree(document);
  ASSERT_EQ(tree.files().size(), 2u);
  const KeyNode& first = *tree.files()[0];
  EXPECT_EQ(first.text(), "a.pt");
  ASSERT_EQ(first.children.size(), 2u);
  EXPECT_EQ(first.children[0]->text(), "z");
  EXPECT_EQ(first.values, 2u);
  EXPECT_EQ(first.tensors, 1u);
  EXPECT_EQ(first.child("z")->children.size(), 2u);
  EXPECT_EQ(tree.leaf(*first.child("y")), &document.leaves[1]);
  EXPECT_EQ(tree.leaf(first), nullptr);
}

TEST(KeyTree, keys_of_different_kinds_are_different_children) {
  const Document document = Sketch().integer({1}, 1).integer({"1"}, 2).take();
  const KeyTree tree(document);
  EXPECT_EQ(tree.files()[0]->children.size(), 2u);
}

TEST(KeyTree, the_same_keys_twice_keep_both_leaves) {
  const Document document = Sketch().integer({"a"}, 1).integer({"a"}, 2).take();
  const KeyTree tree(document);
  const KeyNode& node = *tree.files()[0]->children[0];
  ASSERT_TRUE(node.leaf && node.container());
  EXPECT_EQ(*node.leaf, 0u);
  EXPECT_EQ(*node.children[0]->leaf, 1u);
}

TEST(KeyTree, what_lies_too_deep_is_set_aside) {
  Keys keys(KeyTree::kDepthMax, "k");
  Sketch sketch;
  sketch.integer(keys, 1);
  keys.push_back("k");
  const Document document = sketch.integer(keys, 2).take();
  const KeyTree tree(document);
  EXPECT_EQ(tree.too_deep(), std::vector<std::size_t>{1});
}

}  // namespace
}  // namespace samestep
