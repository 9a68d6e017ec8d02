#include "checkpoint/formats/bundle.h"

#include <gtest/gtest.h>

#include "checkpoint/checkpoint.h"
#include "checkpoint/containers/mapped_file.h"
#include "checkpoint/hasher.h"
#include "checkpoint/verify.h"
#include "schemas/error.h"
#include "tests/support/temporary_folder.h"

namespace samestep {
namespace {

const std::vector<float> kNumbers{1, 2, 3, 4, 5, 6};

StateTree tree_of_two() {
  StateTree tree;
  StateEntry weight;
  weight.field.path = FieldPath("model/a.weight");
  weight.field.role = Role::parameter;
  weight.field.kind = FieldKind::tensor;
  weight.field.dtype = Dtype::float32;
  weight.field.shape = {2, 3};
  weight.bytes = tensor_bytes(
      {reinterpret_cast<const std::byte*>(kNumbers.data()), Dtype::float32, {2, 3}, {3, 1}},
      nullptr);
  tree.add(weight);
  StateEntry step;
  step.field.path = FieldPath("loop/step");
  step.field.role = Role::step_counter;
  step.field.value = std::int64_t{4};
  step.bytes = value_bytes(*step.field.value);
  tree.add(step);
  return tree;
}

class BundleFile : public testing::Test {
 protected:
  BundleFile() { write_bundle(path_, {}, tree_of_two()); }
  TemporaryFolder folder_;
  const std::string path_ = folder_ / "state.samestep";
};

TEST_F(BundleFile, GivesBackWhatWasWritten) {
  const Bundle bundle = read_bundle(map_file(path_, path_));
  const StateTree written = tree_of_two();
  ASSERT_EQ(bundle.tree.entries().size(), 2u);
  for (const StateEntry& entry : written.entries()) {
    const auto* found = bundle.tree.find(entry.field.path);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->field.role, entry.field.role);
    EXPECT_EQ(found->field.digest,
              digest_of(*entry.bytes, entry.field.dtype, entry.field.shape).root);
    EXPECT_EQ(digest_of(*found->bytes, entry.field.dtype, entry.field.shape).root,
              found->field.digest);
    EXPECT_TRUE(found->field.traits.empty());
  }
}

TEST_F(BundleFile, IsACheckpointWithItsOwnNames) {
  const Checkpoint checkpoint = open_checkpoint(path_);
  EXPECT_EQ(checkpoint.format, "samestep bundle");
  EXPECT_NE(checkpoint.tree.find(FieldPath("model/a.weight")), nullptr);
  EXPECT_EQ(checkpoint.step, 4);
}

TEST_F(BundleFile, SaysWhoseItIsWhereEachRankHasOne) {
  std::filesystem::create_directory(folder_ / "both");
  for (const int rank : {0, 1}) {
    BundleHead head;
    head.boundary.rank = rank;
    head.world_size = 2;
    write_bundle(folder_ / "both/rank-" + std::to_string(rank) + ".samestep", head, tree_of_two());
  }
  const Checkpoint both = open_checkpoint(folder_ / "both");
  const auto rank_at = [&](const char* path) {
    const auto* entry = both.tree.find(FieldPath(path));
    return entry ? entry->field.traits.at("rank") : "none";
  };
  EXPECT_EQ(rank_at("model/a.weight"), "0");
  EXPECT_EQ(rank_at("model/a.weight#2"), "1");
  EXPECT_EQ(rank_at("loop/step"), "0");
  EXPECT_EQ(rank_at("loop/step#2"), "1");
  const Checkpoint alone = open_checkpoint(path_);
  EXPECT_FALSE(alone.tree.find(FieldPath("loop/step"))->field.traits.contains("rank"));
}

TEST_F(BundleFile, HasAChecksumForEachTensor) {
  VerifyFigures figures;
  EXPECT_TRUE(verify_checkpoint(open_checkpoint(path_), {}, &figures).empty());
  EXPECT_EQ(figures.records_checked, 1u);
  std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(64).put('x');
  file.close();
  EXPECT_EQ(verify_checkpoint(open_checkpoint(path_), {}, nullptr).size(), 1u);
}

TEST_F(BundleFile, CutShortIsRefused) {
  const auto size = std::filesystem::file_size(path_);
  for (auto kept = size - 1; kept > 16; kept -= std::min<std::uintmax_t>(97, kept - 16)) {
    std::filesystem::resize_file(path_, kept);
    EXPECT_THROW(read_bundle(map_file(path_, path_)), Error) << kept;
  }
}

}  // namespace
}  // namespace samestep
