#include "checkpoint/formats/stateless_file.h"

#include <gtest/gtest.h>

namespace samestep {
namespace {

TEST(StatelessFile, LeavesAsideWhatHoldsNoState) {
  for (const char* path : {"zero_to_fp32.py", "a/README.md", "train.log", "config.json",
                           "b/tokenizer.json", "model.safetensors.index.json",
                           "events.out.tfevents.1700000000.host", "args.yaml", "loss.png"})
    EXPECT_NE(stateless_reason(path), nullptr) << path;
}

TEST(StatelessFile, OpensWhatMayHoldState) {
  for (const char* path : {"model.safetensors", "trainer_state.json", "optimizer.pt", "latest",
                           ".metadata", "state", "progress.json"})
    EXPECT_EQ(stateless_reason(path), nullptr) << path;
}

TEST(StatelessFile, KnowsWhichNamesPromiseACheckpoint) {
  EXPECT_TRUE(claims_state("a/b.pt"));
  EXPECT_TRUE(claims_state("rng_state.pth"));
  EXPECT_FALSE(claims_state("notes"));
  EXPECT_FALSE(claims_state("a.pt/notes"));
}

}  // namespace
}  // namespace samestep
