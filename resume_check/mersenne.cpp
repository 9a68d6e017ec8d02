#include "resume_check/mersenne.h"

#include <array>
#include <cstdint>
#include <cstring>

namespace samestep {
namespace {

constexpr std::size_t kWords = 624, kShift = 397;
constexpr std::size_t kLeftAt = 8, kNextAt = 16, kWordsAt = 24;
constexpr int kWordsPerDraw = 2;

std::uint32_t mixed(std::uint32_t high, std::uint32_t low) {
  const std::uint32_t joined = (high & 0x80000000u) | (low & 0x7fffffffu);
  return (joined >> 1) ^ ((low & 1u) ? 0x9908b0dfu : 0u);
}

void next_block(std::array<std::uint32_t, kWords>& words) {
  for (std::size_t i = 0; i < kWords; ++i) {
    words[i] = words[(i + kShift) % kWords] ^ mixed(words[i], words[(i + 1) % kWords]);
  }
}

struct Engine {
  std::array<std::uint32_t, kWords> words{};
  std::int32_t left = 0;
  std::uint64_t next = 0;

  void skip_word() {
    if (--left == 0) {
      next_block(words);
      left = kWords;
      next = 0;
    }
    ++next;
  }
};

bool load(std::span<const std::byte> state, Engine& engine) {
  if (state.size() != kTorchGeneratorBytes) return false;
  std::memcpy(&engine.left, state.data() + kLeftAt, sizeof engine.left);
  std::memcpy(&engine.next, state.data() + kNextAt, sizeof engine.next);
  for (std::size_t i = 0; i < kWords; ++i) {
    std::uint64_t cell = 0;
    std::memcpy(&cell, state.data() + kWordsAt + 8 * i, sizeof cell);
    if (cell > 0xffffffffu) return false;
    engine.words[i] = static_cast<std::uint32_t>(cell);
  }
  return engine.left >= 1 && engine.left <= static_cast<std::int32_t>(kWords) &&
         engine.next <= kWords;
}

void store(const Engine& engine, std::span<std::byte> state) {
  std::memcpy(state.data() + kLeftAt, &engine.left, sizeof engine.left);
  std::memcpy(state.data() + kNextAt, &engine.next, sizeof engine.next);
  for (std::size_t i = 0; i < kWords; ++i) {
    const std::uint64_t cell = engine.words[i];
    std::memcpy(state.data() + kWordsAt + 8 * i, &cell, sizeof cell);
  }
}

}  // namespace

std::vector<std::byte> advanced_by_draws(std::span<const std::byte> state, int draws) {
  Engine engine;
  if (!load(state, engine)) return {};
  for (int word = 0; word < draws * kWordsPerDraw; ++word) engine.skip_word();
  std::vector<std::byte> moved(state.begin(), state.end());
  store(engine, moved);
  return moved;
}

}  // namespace samestep
