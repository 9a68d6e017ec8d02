#include "checkpoint/containers/file_slice.h"

#include <gmock/gmock.h>

#include <limits>

#include "../foreign.h"
#include "schemas/error.h"

namespace samestep {
namespace {

TEST(FileSlice, PartsKnowTheirPlace) {
  const FileSlice whole = foreign::slice_of("0123456789", "a.bin");
  const FileSlice part = whole.part(2, 5, "record").part(1, 3, "field");
  EXPECT_EQ(part.file, "a.bin");
  EXPECT_EQ(part.offset, 3u);
  EXPECT_EQ(part.bytes.size(), 3u);
  EXPECT_EQ(part.bytes[0], std::byte{'3'});
  EXPECT_EQ(whole.part(10, 0, "end").bytes.size(), 0u);
}

TEST(FileSlice, RefusesWhatReachesPastTheEnd) {
  const FileSlice part = foreign::slice_of("0123456789", "a.bin").part(4, 4, "record");
  constexpr auto kHuge = std::numeric_limits<std::uint64_t>::max();
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> cases = {
      {0, 5}, {5, 0}, {4, 1}, {kHuge, 1}, {1, kHuge}, {kHuge, kHuge}};
  for (const auto& range : cases)
    EXPECT_THAT([&] { part.part(range.first, range.second, "field"); },
                testing::ThrowsMessage<Error>(testing::AllOf(
                    testing::HasSubstr("a.bin"), testing::HasSubstr("field reaches past"))));
}

}  // namespace
}  // namespace samestep
