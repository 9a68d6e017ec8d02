// The CPU generator state of PyTorch, moved forward by whole draws: evidence, never a live
// generator.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace samestep {

/// Bytes of torch.Generator.get_state() of a CPU generator: the legacy record (seed, left, seeded,
/// next, 624 words in 64-bit cells, cached normals), then the cached float normal.
inline constexpr std::size_t kTorchGeneratorBytes = 5056;

/// `state` after `draws` draws of one int64 (two words each), as torch.empty((),
/// dtype=int64).random_() makes them. Empty when `state` is not such a record.
std::vector<std::byte> advanced_by_draws(std::span<const std::byte> state, int draws);

}  // namespace samestep
