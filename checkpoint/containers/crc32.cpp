#include "checkpoint/containers/crc32.h"

#include <array>

#include "checkpoint/containers/inflate.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace samestep {
namespace {

constexpr std::uint32_t kPolynomial = 0xEDB88320u;
constexpr std::uint32_t kOne = 0x80000000u;  // x^0: the highest bit, in reflected order

/// Product of two polynomials modulo the CRC's.
constexpr std::uint32_t multiply(std::uint32_t a, std::uint32_t b) noexcept {
  std::uint32_t product = 0;
  for (std::uint32_t bit = kOne; bit != 0; bit >>= 1) {
    if ((a & bit) != 0) product ^= b;
    b = (b & 1) != 0 ? (b >> 1) ^ kPolynomial : b >> 1;
  }
  return product;
}

/// x^(8 * 2^i) for i = 0 .. 63.
constexpr std::array<std::uint32_t, 64> kByteShifts = [] {
  std::array<std::uint32_t, 64> shifts{};
  shifts[0] = kOne >> 8;
  for (std::size_t i = 1; i < shifts.size(); ++i)
    shifts[i] = multiply(shifts[i - 1], shifts[i - 1]);
  return shifts;
}();

#if defined(__x86_64__)

bool has_carryless_multiply() noexcept {
  static const bool kHas = __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
  return kHas;
}

constexpr int kPrefetchBytes = 2048;

#define SAMESTEP_CLMUL __attribute__((target("pclmul,sse4.1")))

SAMESTEP_CLMUL __m128i load(const std::byte* at) noexcept {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
}

/// `x` moved by as many bits as `k` stands for, and `next` added.
SAMESTEP_CLMUL __m128i fold(__m128i x, __m128i k, __m128i next) noexcept {
  const __m128i low = _mm_clmulepi64_si128(x, k, 0x00);
  const __m128i high = _mm_clmulepi64_si128(x, k, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

/// `size` is a multiple of 16 and at least 64; `state` is the inverted checksum. Constants as in
/// the paper, reflected.
SAMESTEP_CLMUL std::uint32_t fold_blocks(const std::byte* at, std::size_t size,
                                         std::uint32_t state) noexcept {
  const __m128i by512 = _mm_set_epi64x(0x01c6e41596, 0x0154442bd4);
  const __m128i by128 = _mm_set_epi64x(0x00ccaa009e, 0x01751997d0);
  __m128i x1 = _mm_xor_si128(load(at), _mm_cvtsi32_si128(static_cast<int>(state)));
  __m128i x2 = load(at + 16), x3 = load(at + 32), x4 = load(at + 48);
  at += 64, size -= 64;
  for (; size >= 64; at += 64, size -= 64) {
    // The processor's own prefetcher stops at each page; a mapped file has a page every 4 KiB.
    _mm_prefetch(reinterpret_cast<const char*>(at) + kPrefetchBytes, _MM_HINT_T0);
    x1 = fold(x1, by512, load(at));
    x2 = fold(x2, by512, load(at + 16));
    x3 = fold(x3, by512, load(at + 32));
    x4 = fold(x4, by512, load(at + 48));
  }
  x1 = fold(x1, by128, x2);
  x1 = fold(x1, by128, x3);
  x1 = fold(x1, by128, x4);
  for (; size >= 16; at += 16, size -= 16) x1 = fold(x1, by128, load(at));
  // 128 bits to 64, then Barrett's reduction to 32.
  const __m128i low_words = _mm_setr_epi32(-1, 0, -1, 0);
  x1 = _mm_xor_si128(_mm_srli_si128(x1, 8), _mm_clmulepi64_si128(x1, by128, 0x10));
  const __m128i by64 = _mm_set_epi64x(0, 0x0163cd6124);
  x1 = _mm_xor_si128(_mm_srli_si128(x1, 4),
                     _mm_clmulepi64_si128(_mm_and_si128(x1, low_words), by64, 0x00));
  const __m128i polynomial = _mm_set_epi64x(0x01f7011641, 0x01db710641);
  x2 = _mm_clmulepi64_si128(_mm_and_si128(x1, low_words), polynomial, 0x10);
  x2 = _mm_clmulepi64_si128(_mm_and_si128(x2, low_words), polynomial, 0x00);
  return static_cast<std::uint32_t>(_mm_extract_epi32(_mm_xor_si128(x1, x2), 1));
}

#endif

}  // namespace

std::uint32_t fast_crc32(std::span<const std::byte> bytes, std::uint32_t crc) noexcept {
#if defined(__x86_64__)
  if (bytes.size() >= 64 && has_carryless_multiply()) {
    const std::size_t folded = bytes.size() / 16 * 16;
    crc = ~fold_blocks(bytes.data(), folded, ~crc);
    bytes = bytes.subspan(folded);
  }
#endif
  return bytes.empty() ? crc : crc32_of(bytes, crc);
}

std::uint32_t combine_crc32(std::uint32_t first, std::uint32_t second,
                            std::uint64_t second_bytes) noexcept {
  std::uint32_t shift = kOne;
  for (std::size_t i = 0; second_bytes != 0; ++i, second_bytes >>= 1)
    if ((second_bytes & 1) != 0) shift = multiply(kByteShifts[i], shift);
  return multiply(shift, first) ^ second;
}

}  // namespace samestep
