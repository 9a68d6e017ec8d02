#include "resume_check/mersenne.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <sstream>

namespace samestep {
namespace {

/// The record of a CPU generator that was seeded and has made `words` 32-bit draws: the standard
/// library's engine is the same one. PyTorch keeps left = 625 - next, and (1, 0) before the first
/// draw.
std::vector<std::byte> generator_after(std::uint32_t seed, int words) {
  std::mt19937 engine(seed);
  engine.discard(static_cast<unsigned long long>(words));
  std::stringstream text;
  text << engine;
  std::vector<std::byte> record(kTorchGeneratorBytes);
  const std::uint64_t seed_cell = seed;
  std::memcpy(record.data(), &seed_cell, 8);
  for (std::size_t i = 0; i < 624; ++i) {
    std::uint64_t word = 0;
    text >> word;
    std::memcpy(record.data() + 24 + 8 * i, &word, 8);
  }
  std::uint64_t next = words == 0 ? 0 : static_cast<std::uint64_t>((words - 1) % 624 + 1);
  const std::int32_t left = words == 0 ? 1 : 625 - static_cast<std::int32_t>(next), seeded = 1;
  std::memcpy(record.data() + 8, &left, 4);
  std::memcpy(record.data() + 12, &seeded, 4);
  std::memcpy(record.data() + 16, &next, 8);
  return record;
}

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

}  // namespace
}  // namespace samestep
