#include "checkpoint/sums_ahead.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "checkpoint/verify.h"
#include "sample_copy.h"

namespace samestep {
namespace {

std::size_t known_of(SumsAhead& ahead, const Checkpoint& checkpoint) {
  ahead.finish();
  std::size_t known = 0;
  for (const Extent& extent : checkpoint.extents) {
    const auto sum = ahead.find(extent.offset, extent.bytes);
    if (!sum) continue;
    ++known;
    EXPECT_EQ(sum, extent.crc32) << extent.name;
  }
  return known;
}

TEST(SumsAhead, HasTheSumsOfTheRecords) {
  const auto path = foreign::sample("handed/plain-loop-full") / "ckpt.pt";
  SumsAhead ahead(path, 0);
  const Checkpoint checkpoint = open_checkpoint(path);
  EXPECT_EQ(known_of(ahead, checkpoint), checkpoint.extents.size());
  EXPECT_EQ(ahead.find(0, 1), std::nullopt);
}

TEST(SumsAhead, KnowsNothingOfWhatItCannotRead) {
  const auto sound = foreign::sample("handed/plain-loop-full") / "ckpt.pt";
  const Checkpoint checkpoint = open_checkpoint(sound);
  for (const std::string& path :
       {std::string("/nowhere"), std::string("/dev/zero"), std::string(sound.parent_path())}) {
    SumsAhead ahead(path, 0);
    EXPECT_EQ(known_of(ahead, checkpoint), 0u) << path;
  }
  SumsAhead too_short(sound);
  EXPECT_EQ(known_of(too_short, checkpoint), 0u);
}

TEST(SumsAhead, LeavesVerifyItsAnswer) {
  const foreign::SampleCopy copy("handed/plain-loop-full");
  const Checkpoint sound = open_checkpoint(copy.path());
  VerifyFigures without, with;
  const auto tensor = std::find_if(sound.extents.begin(), sound.extents.end(), [](const Extent& e) {
    return e.bytes > 64 && e.name.find(".pkl") == std::string::npos;
  });
  ASSERT_NE(tensor, sound.extents.end());
  copy.flip(tensor->file, static_cast<std::int64_t>(tensor->offset));
  const std::string file = copy.path() / tensor->file;
  const auto expected = verify_checkpoint(open_checkpoint(file), {}, &without);
  SumsAhead ahead(file, 0);
  ahead.finish();
  VerifyOptions options;
  options.ahead = &ahead;
  const auto problems = verify_checkpoint(open_checkpoint(file), options, &with);
  ASSERT_EQ(problems.size(), 1u);
  ASSERT_EQ(expected.size(), 1u);
  EXPECT_EQ(problems[0].message, expected[0].message);
  EXPECT_EQ(with.bytes_checked, without.bytes_checked);
  EXPECT_EQ(with.records_checked, without.records_checked);
}

}  // namespace
}  // namespace samestep
