// Mersenne: the engine behind PyTorch's CPU generator, NumPy's legacy one and Python's, moved
// forward on copies of its state: evidence, never a live generator.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace samestep {

/// Bytes of torch.Generator.get_state() of a CPU generator: the legacy record (seed, left, seeded,
/// next, 624 words in 64-bit cells, cached normals), then the cached float normal.
inline constexpr std::size_t kTorchGeneratorBytes = 5056;
inline constexpr std::size_t kMersenneWords = 624;

/// MT19937: one block of words, and how many of them were given out. A generator that was just
/// seeded has given out all 624 of a block that nobody sees.
struct Mersenne {
  std::array<std::uint32_t, kMersenneWords> words{};
  std::uint32_t given = kMersenneWords;

  bool just_seeded() const noexcept { return given == kMersenneWords; }
  bool operator==(const Mersenne&) const = default;
};

/// The engine in a record of PyTorch; nothing when `state` is no such record.
std::optional<Mersenne> mersenne_of_torch(std::span<const std::byte> state);

/// 32-bit draws that lead from `from` to `to`; nothing when more than `draws_max` would be needed,
/// or none lead there. Cached normals are no part of the engine.
std::optional<std::uint64_t> draws_between(const Mersenne& from, const Mersenne& to,
                                           std::uint64_t draws_max = 1ull << 24);

/// Moves a record of PyTorch forward, one 32-bit draw at a time; cached normals stay as they are.
/// False when `state` is no such record.
bool advance_by_a_draw(std::span<std::byte> state);

/// `state` after `draws` draws of one int64 (two words each), as torch.empty((),
/// dtype=int64).random_() makes them. Empty when `state` is not such a record.
std::vector<std::byte> advanced_by_draws(std::span<const std::byte> state, int draws);

}  // namespace samestep
