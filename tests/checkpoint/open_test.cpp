#include <gmock/gmock.h>
#include <sys/stat.h>

#include "checkpoint/checkpoint.h"
#include "sample_copy.h"
#include "schemas/error.h"

namespace samestep {
namespace {

TEST(Open, ReadsAFileOrAFolder) {
  const Checkpoint file = open_checkpoint(foreign::sample("handed/plain-loop-full") / "ckpt.pt");
  EXPECT_EQ(file.format, "torch.save zip");
  EXPECT_EQ(file.step, 5);
  EXPECT_FALSE(file.step_source.empty());
  EXPECT_NE(file.tree.find(FieldPath("model/a.weight")), nullptr);
  const Checkpoint folder = open_checkpoint(foreign::sample("handed/hf-trainer-v5"));
  EXPECT_EQ(folder.format, "HF Trainer folder");
  EXPECT_EQ(folder.step, 5);
}

TEST(Open, SaysWhoseFormatItIs) {
  EXPECT_EQ(open_checkpoint(foreign::sample("handed/lightning-ckpt")).format,
            "Lightning checkpoint (folder)");
  EXPECT_EQ(open_checkpoint(foreign::sample("handed/lightning-ckpt") / "ck.ckpt").format,
            "Lightning checkpoint (torch.save zip)");
}

TEST(Open, NeverOpensAFifo) {
  const TemporaryFolder scratch;
  const std::string pipe = scratch / "pipe.pt";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THROW(open_checkpoint(pipe), Error);
  EXPECT_FALSE(looks_like_checkpoint(pipe));
  EXPECT_THROW(open_checkpoint(scratch.path()), Error);
  EXPECT_FALSE(looks_like_checkpoint(scratch.path()));
  EXPECT_THROW(open_checkpoint("/dev/null"), Error);
}

TEST(Open, SaysThatNothingIsThere) {
  try {
    open_checkpoint("/nowhere/at/all.pt");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::not_found);
  }
}

TEST(Open, LooksByContent) {
  EXPECT_TRUE(looks_like_checkpoint(foreign::sample("handed/dcp-single-rank")));
  EXPECT_TRUE(looks_like_checkpoint(foreign::sample("handed/torch-legacy-proto2") / "ckpt.pt"));
  EXPECT_TRUE(looks_like_checkpoint(foreign::sample("handed/deepspeed-zero0-fp32")));
  EXPECT_FALSE(looks_like_checkpoint(foreign::sample("handed/dcp-single-rank") / "sample.json"));
  EXPECT_FALSE(looks_like_checkpoint("/nowhere"));
  const TemporaryFolder scratch;
  scratch.write("model.pt", "words");
  EXPECT_FALSE(looks_like_checkpoint(scratch.path()));
}

}  // namespace
}  // namespace samestep
