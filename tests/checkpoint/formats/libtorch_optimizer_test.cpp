#include "checkpoint/formats/libtorch_optimizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checkpoint/formats/pickle_view.h"
#include "tests/checkpoint/leaf_text.h"

namespace samestep {
namespace {

using testing::ElementsAre;

/// Adds a leaf whose keys are `parts`, with text as its value.
void add(Document& document, const std::vector<std::string>& parts,
         const std::string& value = "x") {
  Leaf leaf = value_leaf(value);
  for (const std::string& part : parts) leaf.source.keys.push_back(text_key(part));
  document.leaves.push_back(std::move(leaf));
}

std::vector<std::string> stable(const Document& document) {
  std::vector<std::string> lines;
  for (const Leaf& leaf : document.leaves) lines.push_back(foreign::keys_text(leaf.stable_keys));
  return lines;
}

TEST(LibtorchOptimizer, SlotsGetTheNumberOfTheirParameter) {
  Document document;
  add(document, {"state", "200", "exp_avg"});
  add(document, {"state", "100", "exp_avg"});
  add(document, {"state", "300", "exp_avg"});
  add(document, {"param_groups", "param_groups/size"});
  add(document, {"param_groups", "param_groups/1", "params/0"}, "300");
  add(document, {"param_groups", "param_groups/0", "params/1"}, "200");
  add(document, {"param_groups", "param_groups/0", "params/0"}, "100");
  add(document, {"param_groups", "param_groups/0", "options", "betas", "0"});
  join_addresses(document);
  EXPECT_THAT(stable(document),
              ElementsAre("state/1/exp_avg", "state/0/exp_avg", "state/2/exp_avg", "",
                          "param_groups/1/params/0", "param_groups/0/params/1",
                          "param_groups/0/params/0", "param_groups/0/betas/0"));
  EXPECT_EQ(foreign::keys_text(document.leaves[0].source.keys), "state/200/exp_avg");
}

TEST(LibtorchOptimizer, ArchivesInsideOthersAreJoinedOnTheirOwn) {
  Document document;
  for (const std::string name : {"a", "b"}) {
    add(document, {name, "param_groups", "param_groups/0", "params/0"}, name + "1");
    add(document, {name, "param_groups", "param_groups/0", "params/1"}, name + "2");
  }
  add(document, {"a", "state", "a2", "step"});
  add(document, {"b", "state", "b1", "step"});
  add(document, {"b", "state", "a2", "step"});
  join_addresses(document);
  EXPECT_EQ(foreign::keys_text(document.leaves[4].stable_keys), "a/state/1/step");
  EXPECT_EQ(foreign::keys_text(document.leaves[5].stable_keys), "b/state/0/step");
  EXPECT_TRUE(document.leaves[6].stable_keys.empty());
}

TEST(LibtorchOptimizer, OtherDocumentsStayAsTheyAre) {
  Document document;
  add(document, {"state", "0", "exp_avg"});
  add(document, {"param_groups", "0", "lr"});
  add(document, {"param_groups", "param_groups/x", "params/0"});
  join_addresses(document);
  EXPECT_THAT(stable(document), ElementsAre("", "", ""));
}

}  // namespace
}  // namespace samestep
