#include "resume_check/mersenne.h"

#include <cstring>

namespace samestep {
namespace {

using Words = std::array<std::uint32_t, kMersenneWords>;
constexpr std::size_t kShift = 397;
constexpr std::size_t kLeftAt = 8, kNextAt = 16, kWordsAt = 24;
constexpr int kWordsPerDraw = 2;

std::uint32_t mixed(std::uint32_t high, std::uint32_t low) {
  const std::uint32_t joined = (high & 0x80000000u) | (low & 0x7fffffffu);
  return (joined >> 1) ^ ((low & 1u) ? 0x9908b0dfu : 0u);
}

void next_block(Words& words) {
  std::size_t i = 0;
  for (; i < kMersenneWords - kShift; ++i) {
    words[i] = words[i + kShift] ^ mixed(words[i], words[i + 1]);
  }
  for (; i + 1 < kMersenneWords; ++i) {
    words[i] = words[i + kShift - kMersenneWords] ^ mixed(words[i], words[i + 1]);
  }
  words[i] = words[kShift - 1] ^ mixed(words[i], words[0]);
}

/// A record's own bookkeeping: PyTorch keeps left = 625 - next, and (1, 0) before the first draw.
struct Record {
  Words words{};
  std::int32_t left = 0;
  std::uint64_t next = 0;

  void skip_word() {
    if (--left == 0) {
      next_block(words);
      left = kMersenneWords;
      next = 0;
    }
    ++next;
  }
};

bool load(std::span<const std::byte> state, Record& record) {
  if (state.size() != kTorchGeneratorBytes) return false;
  std::memcpy(&record.left, state.data() + kLeftAt, sizeof record.left);
  std::memcpy(&record.next, state.data() + kNextAt, sizeof record.next);
  for (std::size_t i = 0; i < kMersenneWords; ++i) {
    std::uint64_t cell = 0;
    std::memcpy(&cell, state.data() + kWordsAt + 8 * i, sizeof cell);
    if (cell > 0xffffffffu) return false;
    record.words[i] = static_cast<std::uint32_t>(cell);
  }
  return record.left >= 1 && record.left <= static_cast<std::int32_t>(kMersenneWords) &&
         record.next <= kMersenneWords;
}

void store(const Record& record, std::span<std::byte> state) {
  std::memcpy(state.data() + kLeftAt, &record.left, sizeof record.left);
  std::memcpy(state.data() + kNextAt, &record.next, sizeof record.next);
  for (std::size_t i = 0; i < kMersenneWords; ++i) {
    const std::uint64_t cell = record.words[i];
    std::memcpy(state.data() + kWordsAt + 8 * i, &cell, sizeof cell);
  }
}

}  // namespace

std::optional<Mersenne> mersenne_of_torch(std::span<const std::byte> state) {
  Record record;
  if (!load(state, record)) return std::nullopt;
  const bool seeded = record.next == 0;
  return Mersenne{record.words, seeded ? static_cast<std::uint32_t>(kMersenneWords)
                                       : static_cast<std::uint32_t>(record.next)};
}

std::optional<std::uint64_t> draws_between(const Mersenne& from, const Mersenne& to,
                                           std::uint64_t draws_max) {
  if (from.given > kMersenneWords || to.given > kMersenneWords) return std::nullopt;
  Words words = from.words;
  const std::uint64_t given = from.given;
  for (std::uint64_t before = 0; before <= draws_max + given; before += kMersenneWords) {
    if (words == to.words && before + to.given >= given) {
      const std::uint64_t draws = before + to.given - given;
      return draws <= draws_max ? std::optional(draws) : std::nullopt;
    }
    next_block(words);
  }
  return std::nullopt;
}

bool advance_by_a_draw(std::span<std::byte> state) {
  Record record;
  if (!load(state, record)) return false;
  record.skip_word();
  store(record, state);
  return true;
}

std::vector<std::byte> advanced_by_draws(std::span<const std::byte> state, int draws) {
  Record record;
  if (!load(state, record)) return {};
  for (int word = 0; word < draws * kWordsPerDraw; ++word) record.skip_word();
  std::vector<std::byte> moved(state.begin(), state.end());
  store(record, moved);
  return moved;
}

}  // namespace samestep
