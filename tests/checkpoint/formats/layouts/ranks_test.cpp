#include "checkpoint/formats/layouts/ranks.h"

#include <gmock/gmock.h>

namespace samestep {
namespace {

TEST(Ranks, ReadsNumbersInNames) {
  EXPECT_EQ(number_in("rng_state_12.pth", "rng_state_", ".pth"), 12);
  EXPECT_EQ(number_in("iter_0000005", "iter_", ""), 5);
  for (const char* name : {"rng_state.pth", "rng_state_.pth", "rng_state_x.pth", "rng_state_1x.pth",
                           "rng_state_-1.pth", "rng_state_99999999999.pth"})
    EXPECT_EQ(number_in(name, "rng_state_", ".pth"), std::nullopt) << name;
}

TEST(Ranks, FindsGaps) {
  EXPECT_THAT(missing_numbers({0, 1, 2}), testing::IsEmpty());
  EXPECT_THAT(missing_numbers({1, 3}), testing::ElementsAre(0, 2));
  EXPECT_THAT(missing_numbers({0}, 3), testing::ElementsAre(1, 2));
  EXPECT_THAT(missing_numbers({}, 1), testing::ElementsAre(0));
  EXPECT_THAT(missing_numbers({}), testing::IsEmpty());
}

}  // namespace
}  // namespace samestep
