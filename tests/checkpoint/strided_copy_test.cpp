// The walk itself: which blocks are contiguous, and buffers smaller than a row.
#include "checkpoint/strided_copy.h"

#include <gtest/gtest.h>

#include "byte_helpers.h"

namespace samestep {
namespace {

struct MergeCase {
  std::vector<std::int64_t> shape, strides;
  bool contiguous;
};

TEST(StridedCopy, KnowsWhatIsContiguous) {
  const auto data = ramp(64);
  const MergeCase cases[] = {
      {{}, {}, true},          {{4}, {1}, true},
      {{4}, {2}, false},       {{4}, {-1}, false},
      {{2, 3}, {3, 1}, true},  {{2, 3}, {1, 2}, false},
      {{2, 3}, {4, 1}, false}, {{1, 3}, {77, 1}, true},
      {{3, 1}, {1, 77}, true}, {{2, 1, 2}, {2, 5, 1}, true},
      {{2, 2}, {0, 1}, false},
  };
  for (const MergeCase& c : cases) {
    EXPECT_EQ(StridedCopy(data.data(), c.shape, c.strides, 1).is_contiguous(), c.contiguous)
        << testing::PrintToString(c.shape) << " " << testing::PrintToString(c.strides);
  }
}

TEST(StridedCopy, AnyBufferSizeGivesTheSameBytes) {
  const auto data = ramp(4096);
  const std::vector<std::int64_t> shape = {5, 7, 3};
  for (const std::vector<std::int64_t>& strides :
       {std::vector<std::int64_t>{3, 90, 31}, {100, 1, 7}, {30, 1, -7}}) {
    const auto with = [&](std::size_t buffer_bytes) {
      StridedCopy copy(data.data() + 64, shape, strides, 4);
      std::vector<std::byte> all, buffer(buffer_bytes);
      while (const std::size_t count = copy.next(buffer)) {
        EXPECT_EQ(count % 4, 0U);
        all.insert(all.end(), buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(count));
      }
      return all;
    };
    const auto whole = with(4096);
    EXPECT_EQ(whole.size(), 5U * 7 * 3 * 4);
    for (const std::size_t buffer : {4UL, 8UL, 11UL, 12UL, 24UL, 35UL, 64UL, 84UL, 100UL})
      EXPECT_EQ(with(buffer), whole) << buffer;
  }
}

}  // namespace
}  // namespace samestep
