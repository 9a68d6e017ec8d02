#include "checkpoint/containers/crc32.h"

#include <array>

#include "checkpoint/containers/crc32_fold.h"
#include "checkpoint/containers/crc32_polynomial.h"
#include "checkpoint/containers/inflate.h"

namespace samestep {
namespace {

/// x^(8 * 2^i) for i = 0 .. 63.
constexpr std::array<std::uint32_t, 64> kByteShifts = [] {
  std::array<std::uint32_t, 64> shifts{};
  shifts[0] = kCrcOne >> 8;
  for (std::size_t i = 1; i < shifts.size(); ++i)
    shifts[i] = crc_product(shifts[i - 1], shifts[i - 1]);
  return shifts;
}();

}  // namespace

std::uint32_t fast_crc32(std::span<const std::byte> bytes, std::uint32_t crc) noexcept {
  bytes = bytes.subspan(fold_crc32(bytes, crc));
  return bytes.empty() ? crc : crc32_of(bytes, crc);
}

std::uint32_t combine_crc32(std::uint32_t first, std::uint32_t second,
                            std::uint64_t second_bytes) noexcept {
  std::uint32_t shift = kCrcOne;
  for (std::size_t i = 0; second_bytes != 0; ++i, second_bytes >>= 1)
    if ((second_bytes & 1) != 0) shift = crc_product(kByteShifts[i], shift);
  return crc_product(shift, first) ^ second;
}

}  // namespace samestep
