#include "checkpoint/naming/component_groups.h"

#include <gtest/gtest.h>

#include "tests/checkpoint/naming/sketch.h"

namespace samestep {
namespace {

using sketch::Sketch;
using Kind = ComponentKind;

TEST(ComponentGroups, parts_of_ranks_and_of_shards_join) {
  const Document document = Sketch()
                                .in("rank_0.pt")
                                .tensor({"module", "a.weight"}, {2})
                                .in("rank_1.pt")
                                .tensor({"module", "a.weight"}, {2})
                                .in("m-1-of-2.safetensors")
                                .tensor({"a.weight"}, {2})
                                .in("m-2-of-2.safetensors")
                                .tensor({"b.weight"}, {2})
                                .take();
  const KeyTree tree(document);
  ComponentGroups groups;
  const auto ask = [&](const KeyNode& node) {
    return &groups.find_or_make(Kind::model, shared_name(node), node);
  };
  const ComponentGroup* of_ranks = ask(*tree.files()[0]->children[0]);
  EXPECT_EQ(ask(*tree.files()[1]->children[0]), of_ranks);
  const ComponentGroup* of_shards = ask(*tree.files()[2]);
  EXPECT_NE(of_shards, of_ranks);
  EXPECT_EQ(ask(*tree.files()[3]), of_shards);
  const auto components = groups.take();
  ASSERT_EQ(components.size(), 2u);
  EXPECT_EQ(components[1].number, 1);
}

TEST(ComponentGroups, the_same_keys_in_another_file_or_in_the_same_file_do_not) {
  const Document document = Sketch()
                                .in("a.pt")
                                .tensor({"model", "a.weight"}, {2})
                                .tensor({"x", "model", "a.weight"}, {2})
                                .in("b.pt")
                                .tensor({"model", "a.weight"}, {2})
                                .take();
  const KeyTree tree(document);
  ComponentGroups groups;
  const auto ask = [&](const KeyNode& node) {
    return groups.find_or_make(Kind::model, "model", node).component.number;
  };
  EXPECT_EQ(ask(*tree.files()[0]->child("model")), 0);
  EXPECT_EQ(ask(*tree.files()[0]->child("x")->child("model")), 1);
  EXPECT_EQ(ask(*tree.files()[1]->child("model")), 2);
}

TEST(ComponentGroups, there_is_one_of_some_kinds) {
  const Document document = Sketch().rng({"a"}).rng({"b"}).take();
  const KeyTree tree(document);
  ComponentGroups groups;
  for (const Kind kind : {Kind::rng, Kind::loop, Kind::gradients, Kind::extra}) {
    EXPECT_EQ(&groups.find_or_make(kind, "a", *tree.files()[0]->children[0]),
              &groups.find_or_make(kind, "b", *tree.files()[0]->children[1]));
  }
  EXPECT_EQ(groups.find_or_make(Kind::config, "a", *tree.files()[0]).component.kind, Kind::extra);
}

TEST(ComponentGroups, keys_files_and_families) {
  const Document document =
      Sketch().in("d/optim-00001-of-00002.pt").integer({"a", 1, "b"}, 1).take();
  const KeyTree tree(document);
  const KeyNode& file = *tree.files()[0];
  const KeyNode& b = *file.children[0]->children[0]->children[0];
  EXPECT_EQ(&file_of(b), &file);
  EXPECT_EQ(keys_below(file, b), (std::vector<std::string>{"a", "1", "b"}));
  EXPECT_EQ(shared_name(file), "optim--of-");
  EXPECT_EQ(shared_name(b), "b");
}

}  // namespace
}  // namespace samestep
