#include "checkpoint/formats/layouts/hf_trainer.h"

#include "layout_test.h"
#include "schemas/error.h"

namespace samestep {
namespace {

using foreign::lacks;
using foreign::read_without;

constexpr const char* kSample = "handed/hf-trainer-v5";

TEST(HfTrainer, IsWholeAsTrainerWritesIt) {
  for (const char* sample :
       {kSample, "handed/hf-trainer-v4", "handed/hf-trainer-adafactor-sharded-v4"}) {
    const Document document = read_without(sample, {});
    EXPECT_EQ(document.format, "HF Trainer folder");
    EXPECT_THAT(document.problems, testing::IsEmpty()) << sample;
  }
}

TEST(HfTrainer, MissesWhatAResumeNeeds) {
  EXPECT_THAT(read_without(kSample, {"optimizer.pt"}).problems, lacks("optimizer.pt"));
  EXPECT_THAT(read_without(kSample, {"scheduler.pt"}).problems, lacks("scheduler.pt"));
  EXPECT_THAT(read_without(kSample, {"rng_state.pth"}).problems, lacks("rng_state.pth"));
  EXPECT_THAT(read_without(kSample, {"model.safetensors"}).problems, lacks("model.safetensors"));
}

TEST(HfTrainer, TakesAModelOnlyCheckpointAsThat) {
  const Document document =
      read_without(kSample, {"optimizer.pt", "scheduler.pt", "rng_state.pth"});
  EXPECT_THAT(document.problems, testing::IsEmpty());
  EXPECT_THAT(document.notes, testing::Contains(testing::HasSubstr("model only")));
}

TEST(HfTrainer, WantsTheRandomStateOfEachRank) {
  const foreign::SampleCopy copy(kSample);
  std::filesystem::rename(copy.path() / "rng_state.pth", copy.path() / "rng_state_2.pth");
  const Document document = foreign::read_copy(copy);
  EXPECT_THAT(document.problems, lacks("rng_state_0.pth"));
  EXPECT_THAT(document.problems, lacks("rng_state_1.pth"));
  EXPECT_EQ(document.problems.size(), 2u);
}

TEST(HfTrainer, ReadsTheModelThatTrainerLoads) {
  const foreign::SampleCopy copy(kSample);
  std::filesystem::copy_file(copy.path() / "optimizer.pt", copy.path() / "pytorch_model.bin");
  const Document document = foreign::read_copy(copy);
  EXPECT_THAT(document.notes, testing::Contains(testing::HasSubstr("pytorch_model.bin")));
  for (const Leaf& leaf : document.leaves) EXPECT_NE(leaf.source.file, "pytorch_model.bin");
}

TEST(HfTrainer, LeavesOtherCheckpointsOfTheRunAside) {
  const foreign::SampleCopy copy(kSample);
  const std::size_t leaves = foreign::read_copy(copy).leaves.size();
  std::filesystem::copy(foreign::sample(kSample), copy.path() / "checkpoint-5");
  const Document document = foreign::read_copy(copy);
  EXPECT_EQ(document.leaves.size(), leaves);
  EXPECT_THAT(document.notes,
              testing::Contains(testing::HasSubstr("checkpoint-5: a checkpoint of its own")));
}

TEST(HfTrainer, RefusesACutState) {
  const foreign::SampleCopy copy(kSample);
  copy.cut("trainer_state.json", 100);
  EXPECT_THROW(foreign::read_copy(copy), Error);
}

}  // namespace
}  // namespace samestep
