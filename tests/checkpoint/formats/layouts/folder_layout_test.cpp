#include "checkpoint/formats/layouts/folder_layout.h"

#include "layout_test.h"

namespace samestep {
namespace {

TEST(FolderLayout, KnowsEachSampleByItsFirstMatch) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"hf-trainer-v4", "HF Trainer folder"},
      {"accelerate-seedable", "accelerate folder"},
      {"deepspeed-zero0-fp32", "DeepSpeed folder"},
      {"megatron-torch-dist-1rank", "Megatron torch_dist"},
      {"dcp-single-rank", "DCP"},
  };
  for (const auto& [sample, format] : cases) {
    const foreign::SampleCopy copy("handed/" + sample);
    const Folder folder(copy.path());
    for (const FolderLayout& layout : layouts()) {
      if (!layout.matches(folder, "")) continue;
      EXPECT_EQ(layout.read(folder, "").format, format);
      break;
    }
  }
}

TEST(FolderLayout, LeavesOtherFoldersAlone) {
  const foreign::SampleCopy copy("handed/torch-dtypes");
  const Folder folder(copy.path());
  for (const FolderLayout& layout : layouts()) EXPECT_FALSE(layout.matches(folder, ""));
}

}  // namespace
}  // namespace samestep
