// The arithmetic of ZIP's CRC-32: polynomials over two elements modulo the CRC's own, reflected.
#pragma once

#include <cstdint>

namespace samestep {

inline constexpr std::uint32_t kCrcPolynomial = 0xEDB88320u;
inline constexpr std::uint32_t kCrcOne = 0x80000000u;  // x^0: the highest bit, in reflected order

/// Product of two polynomials modulo the CRC's.
constexpr std::uint32_t crc_product(std::uint32_t a, std::uint32_t b) noexcept {
  std::uint32_t product = 0;
  for (std::uint32_t bit = kCrcOne; bit != 0; bit >>= 1) {
    if ((a & bit) != 0) product ^= b;
    b = (b & 1) != 0 ? (b >> 1) ^ kCrcPolynomial : b >> 1;
  }
  return product;
}

}  // namespace samestep
