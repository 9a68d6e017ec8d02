#include "checkpoint/formats/layouts/deepspeed.h"

#include "layout_test.h"
#include "schemas/error.h"

namespace samestep {
namespace {

using foreign::lacks;
using foreign::read_without;

constexpr const char* kSample = "handed/deepspeed-zero1-bf16-2rank";
constexpr const char* kSecondRank = "global_step5/bf16_zero_pp_rank_1_mp_rank_00_optim_states.pt";

TEST(DeepSpeed, IsWholeAtEachStage) {
  for (const char* sample :
       {kSample, "handed/deepspeed-zero0-fp32", "handed/deepspeed-zero2-fp32-2rank",
        "handed/deepspeed-zero3-bf16-2rank"}) {
    const Document document = read_without(sample, {});
    EXPECT_EQ(document.format, "DeepSpeed folder");
    EXPECT_THAT(document.problems, testing::IsEmpty()) << sample;
    EXPECT_EQ(document.leaves[0].source.file.substr(0, 13), "global_step5/") << sample;
  }
}

TEST(DeepSpeed, ReadsATagFolderAlone) {
  const foreign::SampleCopy copy(kSample);
  EXPECT_EQ(read_folder(Folder(copy.path() / "global_step5"), "").format, "DeepSpeed folder");
}

TEST(DeepSpeed, WantsEachRankOfTheWorld) {
  EXPECT_THAT(read_without(kSample, {kSecondRank}).problems, lacks(kSecondRank));
  EXPECT_THAT(read_without("handed/deepspeed-zero3-bf16-2rank",
                           {"global_step5/zero_pp_rank_0_mp_rank_00_model_states.pt"})
                  .problems,
              lacks("zero_pp_rank_0_mp_rank_00_model_states.pt"));
  EXPECT_THAT(read_without(kSample, {"global_step5/mp_rank_00_model_states.pt"}).problems,
              lacks("model_states.pt"));
}

TEST(DeepSpeed, ReadsTheTagThatLatestNames) {
  const foreign::SampleCopy copy(kSample);
  std::filesystem::copy(copy.path() / "global_step5", copy.path() / "global_step4");
  const Document document = foreign::read_copy(copy);
  EXPECT_THAT(document.notes, testing::Contains(testing::HasSubstr("global_step4")));
  for (const Leaf& leaf : document.leaves)
    EXPECT_TRUE(leaf.source.file.starts_with("global_step5/"));
}

TEST(DeepSpeed, SaysThatTheTagIsNotThere) {
  const foreign::SampleCopy copy(kSample);
  copy.write("latest", "global_step9");
  EXPECT_THAT(foreign::read_copy(copy).problems, lacks("latest"));
  copy.write("latest", "../../etc");
  EXPECT_THROW(foreign::read_copy(copy), Error);
}

TEST(DeepSpeed, IsNotAnyFolderWithLatest) {
  const TemporaryFolder scratch;
  scratch.write("latest", "ckpt_5.pt");
  scratch.write("ckpt_5.pt", "x");
  EXPECT_FALSE(is_deepspeed(Folder(scratch.path()), ""));
}

}  // namespace
}  // namespace samestep
