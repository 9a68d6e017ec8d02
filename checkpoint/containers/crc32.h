// Crc32: the checksum of ZIP files at the speed of memory (polynomial 0xEDB88320).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace samestep {

/// The checksum of `bytes`, continued from `crc` (0 for a new one). Uses carry-less multiplication
/// where the processor has it (Gopal et al., "Fast CRC Computation for Generic Polynomials Using
/// PCLMULQDQ Instruction", Intel, 2009).
std::uint32_t fast_crc32(std::span<const std::byte> bytes, std::uint32_t crc = 0) noexcept;

/// The checksum of A followed by B, of the checksums of A and of B, which is `second_bytes` long.
std::uint32_t combine_crc32(std::uint32_t first, std::uint32_t second,
                            std::uint64_t second_bytes) noexcept;

}  // namespace samestep
