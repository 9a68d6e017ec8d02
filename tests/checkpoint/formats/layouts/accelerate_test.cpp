#include "checkpoint/formats/layouts/accelerate.h"

#include "layout_test.h"

namespace samestep {
namespace {

using foreign::lacks;
using foreign::read_without;

constexpr const char* kSample = "handed/accelerate-stateful-dl";

TEST(Accelerate, IsWholeAsItIsWritten) {
  for (const char* sample : {kSample, "handed/accelerate-seedable"}) {
    const Document document = read_without(sample, {});
    EXPECT_EQ(document.format, "accelerate folder");
    EXPECT_THAT(document.problems, testing::IsEmpty()) << sample;
  }
}

TEST(Accelerate, MissesRandomStates) {
  EXPECT_THAT(read_without(kSample, {"random_states_0.pkl"}).problems,
              lacks("random_states_0.pkl"));
  const foreign::SampleCopy copy(kSample);
  std::filesystem::rename(copy.path() / "random_states_0.pkl", copy.path() / "random_states_1.pkl");
  EXPECT_THAT(foreign::read_copy(copy).problems, lacks("random_states_0.pkl"));
}

TEST(Accelerate, MissesOneOfARow) {
  EXPECT_THAT(read_without(kSample, {"custom_checkpoint_0.pkl"}).problems,
              lacks("custom_checkpoint_0.pkl"));
  const foreign::SampleCopy copy(kSample);
  std::filesystem::rename(copy.path() / "optimizer.bin", copy.path() / "optimizer_1.bin");
  EXPECT_THAT(foreign::read_copy(copy).problems, lacks("optimizer.bin"));
}

TEST(Accelerate, IsNotAnyFolderWithAModel) {
  EXPECT_FALSE(is_accelerate(Folder(foreign::sample("handed/safetensors-basic")), ""));
  EXPECT_FALSE(is_accelerate(Folder(foreign::sample("handed/torch-dtypes")), ""));
}

}  // namespace
}  // namespace samestep
