#include "resume_check/mersenne.h"

#include <gtest/gtest.h>

#include "tests/resume_check/generators.h"

namespace samestep {
namespace {

using testing::generator_after;

TEST(Mersenne, ADrawOfAnInt64IsTwoWords) {
  for (const int before : {0, 1, 2, 300, 621, 622, 623, 624, 625, 1247, 1248}) {
    for (const int draws : {0, 1, 2, 400}) {
      EXPECT_EQ(advanced_by_draws(generator_after(7, before), draws),
                generator_after(7, before + 2 * draws))
          << before << " words, then " << draws << " draws";
    }
  }
}

TEST(Mersenne, OnlyARecordOfTheRightShapeIsMoved) {
  auto record = generator_after(7, 10);
  EXPECT_TRUE(advanced_by_draws(std::span(record).first(5048), 1).empty());
  record[8] = std::byte{0};
  record[9] = std::byte{0};
  EXPECT_TRUE(advanced_by_draws(record, 1).empty()) << "left = 0";
  record = generator_after(7, 10);
  record[24 + 7] = std::byte{1};
  EXPECT_TRUE(advanced_by_draws(record, 1).empty()) << "a cell beyond 32 bits";
}

Mersenne engine_after(std::uint32_t seed, int draws) {
  return *mersenne_of_torch(generator_after(seed, draws));
}

TEST(Mersenne, DrawsAreCountedForwardOnly) {
  for (const int before : {0, 1, 300, 623, 624, 625, 1248}) {
    for (const int draws : {0, 1, 2, 623, 624, 5000}) {
      const auto source = engine_after(7, before), target = engine_after(7, before + draws);
      EXPECT_EQ(draws_between(source, target), static_cast<std::uint64_t>(draws))
          << before << " draws, then " << draws;
      if (draws > 0) {
        EXPECT_FALSE(draws_between(target, source, 1 << 20)) << before << ' ' << draws;
      }
    }
  }
}

TEST(Mersenne, ARecordMovesByOneDraw) {
  auto record = generator_after(7, 622);
  for (int draws = 623; draws < 627; ++draws) {
    ASSERT_TRUE(advance_by_a_draw(record));
    EXPECT_EQ(record, generator_after(7, draws)) << draws;
  }
  std::vector<std::byte> other(16);
  EXPECT_FALSE(advance_by_a_draw(other));
}

TEST(Mersenne, AnotherSeedIsNeverReached) {
  EXPECT_FALSE(draws_between(engine_after(7, 0), engine_after(8, 100), 1 << 20));
}

TEST(Mersenne, TheSearchIsBounded) {
  EXPECT_EQ(draws_between(engine_after(7, 10), engine_after(7, 1010), 1000), 1000u);
  EXPECT_FALSE(draws_between(engine_after(7, 10), engine_after(7, 1011), 1000));
}

TEST(Mersenne, AFreshSeedShows) {
  EXPECT_TRUE(engine_after(7, 0).just_seeded());
  EXPECT_FALSE(engine_after(7, 1).just_seeded());
  EXPECT_FALSE(mersenne_of_torch(std::vector<std::byte>(16)));
}

}  // namespace
}  // namespace samestep
