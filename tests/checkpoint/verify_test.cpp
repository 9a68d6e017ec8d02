#include "checkpoint/verify.h"

#include <gmock/gmock.h>

#include "sample_copy.h"

namespace samestep {
namespace {

std::vector<Problem> verified(const std::filesystem::path& path, VerifyOptions options = {},
                              VerifyFigures* figures = nullptr) {
  return verify_checkpoint(open_checkpoint(path), options, figures);
}

TEST(Verify, FindsNothingInASoundCheckpoint) {
  VerifyFigures figures;
  EXPECT_THAT(verified(foreign::sample("handed/plain-loop-full") / "ckpt.pt", {}, &figures),
              testing::IsEmpty());
  EXPECT_GT(figures.records_checked, 40u);
  EXPECT_GT(figures.bytes_checked, 10'000u);
  EXPECT_EQ(figures.records_left_out, 0u);
}

TEST(Verify, FindsAFlippedBitAndNamesItsField) {
  const foreign::SampleCopy copy("handed/dcp-fsdp2-2rank");
  const Checkpoint sound = open_checkpoint(copy.path());
  int flipped = 0;
  for (const Extent& extent : sound.extents) {
    if (!extent.crc32 || extent.bytes == 0) continue;
    if (++flipped % 7 != 0) continue;
    copy.flip(extent.file, static_cast<std::int64_t>(extent.offset + extent.bytes / 2));
    const auto problems = verified(copy.path());
    ASSERT_EQ(problems.size(), 1u) << extent.name;
    EXPECT_EQ(problems[0].kind, Problem::Kind::damaged);
    EXPECT_THAT(problems[0].where, testing::StartsWith(extent.name));
    EXPECT_THAT(problems[0].message, testing::HasSubstr(extent.file));
    copy.flip(extent.file, static_cast<std::int64_t>(extent.offset + extent.bytes / 2));
  }
  EXPECT_GT(flipped, 14);
  EXPECT_THAT(verified(copy.path()), testing::IsEmpty());
}

TEST(Verify, IsTheSameWithAnyNumberOfThreads) {
  const auto path = foreign::sample("hostile/zip-bitflip-storage-crc");
  const auto expected = verified(path, {1.0, 1});
  ASSERT_EQ(expected.size(), 1u);
  for (const int threads : {0, 2, 5}) {
    const auto problems = verified(path, {1.0, threads});
    ASSERT_EQ(problems.size(), 1u);
    EXPECT_EQ(problems[0].message, expected[0].message);
  }
}

TEST(Verify, TakesMissingChecksumsForWhatTheyAre) {
  VerifyFigures figures;
  EXPECT_THAT(verified(foreign::sample("handed/torch-zip-nocrc") / "ckpt.pt", {}, &figures),
              testing::IsEmpty());
  EXPECT_EQ(figures.records_checked, 0u);
  EXPECT_GT(figures.records_without_checksum, 10u);
}

TEST(Verify, ReadsASubsetAndSaysSo) {
  VerifyFigures all, some;
  const auto path = foreign::sample("handed/plain-loop-full") / "ckpt.pt";
  verified(path, {1.0, 2}, &all);
  verified(path, {0.3, 2}, &some);
  EXPECT_GT(some.records_checked, 0u);
  EXPECT_LT(some.records_checked, all.records_checked);
  EXPECT_EQ(some.records_checked + some.records_left_out, all.records_checked);
  VerifyFigures again;
  verified(path, {0.3, 2}, &again);
  EXPECT_EQ(again.bytes_checked, some.bytes_checked);
}

TEST(Verify, SaysThatAFileShrankSinceItWasOpened) {
  const foreign::SampleCopy copy("handed/dcp-single-rank");
  const Checkpoint checkpoint = open_checkpoint(copy.path());
  copy.remove("__0_0.distcp");
  EXPECT_FALSE(verify_checkpoint(checkpoint, {}).empty());
}

}  // namespace
}  // namespace samestep
