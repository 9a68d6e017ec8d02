#include "checkpoint/naming/name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/checkpoint/naming/sketch.h"

namespace samestep {
namespace {

using sketch::Keys;
using sketch::sample_document;
using sketch::Sketch;
using testing::IsSubsetOf;
using testing::IsSupersetOf;

const Field& field(const StateTree& tree, const std::string& path) {
  const StateEntry* entry = tree.find(FieldPath(path));
  if (entry == nullptr) throw std::runtime_error("no field " + path);
  return entry->field;
}

std::set<std::string> paths_of(const StateTree& tree, const std::string& prefix) {
  std::set<std::string> paths;
  for (const StateEntry& entry : tree.entries()) {
    const bool order = entry.field.traits.count("declared") != 0;
    if (!order && entry.field.path.text().rfind(prefix, 0) == 0)
      paths.insert(entry.field.path.text());
  }
  return paths;
}

TEST(Name, private_keys_become_canonical_components_by_their_content) {
  const StateTree tree = Sketch()
                             .tensor({"net", "layers.0.weight"}, {4, 3})
                             .tensor({"net", "layers.0.bias"}, {4})
                             .scalar({"o", "state", 0, "step"}, 5)
                             .tensor({"o", "state", 0, "exp_avg"}, {4, 3})
                             .scalar({"o", "state", 1, "step"}, 5)
                             .tensor({"o", "state", 1, "exp_avg"}, {4})
                             .value({"o", "param_groups", 0, "lr"}, 0.1)
                             .integer({"o", "param_groups", 0, "params", 0}, 0)
                             .integer({"o", "param_groups", 0, "params", 1}, 1)
                             .integer({"s", "last_epoch"}, 5)
                             .integer({"s", "_step_count"}, 6)
                             .value({"q", "scale"}, 1024.0)
                             .integer({"q", "_growth_tracker"}, 2)
                             .rng({"r"})
                             .named();
  EXPECT_EQ(field(tree, "model/layers.0.weight").role, Role::parameter);
  EXPECT_EQ(field(tree, "optimizer/state/layers.0.bias/exp_avg").role, Role::moment);
  EXPECT_EQ(field(tree, "optimizer/state/layers.0.bias/exp_avg").traits.at("place"),
            "optimizer/state/1/exp_avg");
  EXPECT_EQ(field(tree, "optimizer/state/layers.0.weight/step").value, Value{5.0});
  EXPECT_EQ(field(tree, "optimizer/param_groups/0/lr").role, Role::hyperparameter);
  EXPECT_EQ(field(tree, "lr_scheduler/last_epoch").role, Role::schedule);
  EXPECT_EQ(field(tree, "grad_scaler/_growth_tracker").role, Role::scaler);
  EXPECT_EQ(field(tree, "rng/torch.cpu").role, Role::rng);
}

TEST(Name, every_leaf_is_kept_once_with_its_source) {
  for (const char* name :
       {"plain-loop-full", "plain-loop-legacy", "dcp-fsdp2-2rank", "lightning-ckpt-ema",
        "megatron-torch-dist-2rank", "deepspeed-zero3-bf16-2rank", "torch-python-zoo-proto4"}) {
    const Document document = sample_document(name);
    const std::size_t leaves = document.leaves.size();
    Document copy = document;
    const StateTree tree = name_document(std::move(copy));
    ASSERT_EQ(tree.entries().size(), leaves) << name;
    for (std::size_t i = 0; i < leaves; ++i) {
      EXPECT_EQ(tree.entries()[i].field.source.keys, document.leaves[i].source.keys) << name;
    }
  }
}

// What four formats say of one training: model, AdamW, cosine schedule, average, loop.
TEST(Name, the_same_state_has_the_same_paths_in_each_format) {
  const StateTree plain = name_document(sample_document("plain-loop-full"));
  const StateTree accelerate = name_document(sample_document("accelerate-seedable"));
  const StateTree dcp = name_document(sample_document("dcp-single-rank"));
  const StateTree lightning = name_document(sample_document("lightning-ckpt-ema"));
  for (const char* part : {"model/", "optimizer/state/", "ema/", "rng/torch", "rng/numpy",
                           "rng/python", "grad_scaler/"}) {
    const auto in_plain = paths_of(plain, part);
    EXPECT_FALSE(in_plain.empty()) << part;
    const bool in_dcp = !paths_of(dcp, part).empty();
    EXPECT_TRUE(in_dcp || part == std::string("ema/") || part == std::string("grad_scaler/"))
        << part;
    EXPECT_THAT(paths_of(accelerate, part), IsSubsetOf(in_plain)) << part;
    EXPECT_THAT(paths_of(dcp, part), IsSubsetOf(in_plain)) << part;  // its model has no batch norm
    std::set<std::string> in_lightning;
    for (std::string path :
         paths_of(lightning, part)) {  // its model is a module that holds this one as `net`
      if (const auto at = path.find("net."); at != std::string::npos) path.erase(at, 4);
      in_lightning.insert(path);
    }
    EXPECT_THAT(in_lightning, IsSubsetOf(in_plain)) << part;
  }
  EXPECT_EQ(paths_of(accelerate, "model/"), paths_of(plain, "model/"));
  EXPECT_EQ(paths_of(accelerate, "optimizer/state/"), paths_of(plain, "optimizer/state/"));
  EXPECT_EQ(paths_of(accelerate, "ema/"), paths_of(plain, "ema/"));
  EXPECT_THAT(paths_of(dcp, "loop/"), IsSubsetOf(paths_of(plain, "loop/")));
  EXPECT_EQ(paths_of(dcp, "lr_scheduler/"), paths_of(lightning, "lr_scheduler/"));
  EXPECT_EQ(paths_of(dcp, "lr_scheduler/"), paths_of(accelerate, "lr_scheduler/"));
}

}  // namespace
}  // namespace samestep
