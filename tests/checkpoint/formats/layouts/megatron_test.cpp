#include "checkpoint/formats/layouts/megatron.h"

#include "layout_test.h"

namespace samestep {
namespace {

using foreign::lacks;
using foreign::read_without;

constexpr const char* kSample = "handed/megatron-torch-dist-2rank";

TEST(Megatron, IsWholeAsItIsWritten) {
  const Document document = read_without(kSample, {});
  EXPECT_EQ(document.format, "Megatron torch_dist");
  EXPECT_THAT(document.problems, testing::IsEmpty());
}

TEST(Megatron, ReadsAnIterationAlone) {
  const foreign::SampleCopy copy(kSample);
  EXPECT_EQ(read_folder(Folder(copy.path() / "iter_0000005"), "").format, "Megatron torch_dist");
}

TEST(Megatron, MissesCommonAndShards) {
  EXPECT_THAT(read_without(kSample, {"iter_0000005/common.pt"}).problems, lacks("common.pt"));
  EXPECT_THAT(read_without(kSample, {"iter_0000005/__1_1.distcp"}).problems, lacks("__1_1.distcp"));
}

TEST(Megatron, BelievesTheTrackerOnlyWhereItIsRight) {
  const foreign::SampleCopy copy(kSample);
  copy.write("latest_checkpointed_iteration.txt", "9");
  EXPECT_THAT(foreign::read_copy(copy).problems, lacks("latest_checkpointed_iteration.txt"));
  copy.write("latest_checkpointed_iteration.txt", "5");
  std::filesystem::create_directory(copy.path() / "iter_0000004");
  std::filesystem::copy_file(copy.path() / "iter_0000005/common.pt",
                             copy.path() / "iter_0000004/common.pt");
  EXPECT_THAT(foreign::read_copy(copy).notes,
              testing::Contains(testing::HasSubstr("iter_0000004")));
}

TEST(Megatron, ComparesTheIterationWithTheFolder) {
  const foreign::SampleCopy copy(kSample);
  std::filesystem::rename(copy.path() / "iter_0000005", copy.path() / "iter_0000009");
  copy.write("latest_checkpointed_iteration.txt", "9");
  EXPECT_THAT(foreign::read_copy(copy).problems,
              testing::Contains(testing::Field(&Problem::kind, Problem::Kind::inconsistent)));
}

}  // namespace
}  // namespace samestep
