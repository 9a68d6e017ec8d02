// Folding: CRC-32 by carryless multiplication ("Fast CRC Computation for Generic Polynomials Using
// PCLMULQDQ Instruction", Gopal et al., Intel, 2009).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace samestep {

/// Takes the whole 16-byte blocks at the front of `bytes` into `crc` and returns how many bytes
/// that were: none where this processor has no such instruction, or fewer than 64 bytes are given.
/// `may_be_wide`: by 256 bits at once where the processor can.
std::size_t fold_crc32(std::span<const std::byte> bytes, std::uint32_t& crc,
                       bool may_be_wide = true) noexcept;

}  // namespace samestep
