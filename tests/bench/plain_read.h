// The fastest plain read of memory that we know how to write: what a digest is held against.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace samestep::bench {

/// Exclusive-or of all 64-bit words (a rest of less than 256 bytes is left out), by as many threads
/// as digests take. `ahead`: bytes by which a prefetch runs ahead, 0 for none.
std::uint64_t plain_read(std::span<const std::span<const std::byte>> pieces, std::size_t ahead);

}  // namespace samestep::bench
