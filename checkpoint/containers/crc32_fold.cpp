#include "checkpoint/containers/crc32_fold.h"

#include "checkpoint/containers/crc32_polynomial.h"

#if defined(__x86_64__)
#include <immintrin.h>

namespace samestep {
namespace {

/// x^bits, in the form that a carryless multiplication of reflected numbers wants.
constexpr long long shift_by(unsigned bits) noexcept {
  std::uint32_t power = kCrcOne, square = kCrcOne >> 1;
  for (; bits != 0; bits >>= 1, square = crc_product(square, square))
    if ((bits & 1) != 0) power = crc_product(power, square);
  return static_cast<long long>(power) << 1;
}
// What the paper prints.
static_assert(shift_by(512 + 32) == 0x0154442bd4 && shift_by(512 - 32) == 0x01c6e41596);

bool has_carryless_multiply() noexcept {
  static const bool kHas = __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
  return kHas;
}

bool has_wide_carryless_multiply() noexcept {
  static const bool kHas = has_carryless_multiply() && __builtin_cpu_supports("avx2") &&
                           __builtin_cpu_supports("vpclmulqdq");
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

template <unsigned kBits>
SAMESTEP_CLMUL __m128i by_bits() noexcept {
  constexpr long long kHigh = shift_by(kBits - 32), kLow = shift_by(kBits + 32);
  return _mm_set_epi64x(kHigh, kLow);
}

/// The checksum of `x` and of the `size` bytes (a multiple of 16) after it. Constants
/// as in the paper, reflected.
SAMESTEP_CLMUL std::uint32_t finish(__m128i x, const std::byte* at, std::size_t size) noexcept {
  const __m128i by128 = by_bits<128>();
  for (; size >= 16; at += 16, size -= 16) x = fold(x, by128, load(at));
  // 128 bits to 64, then Barrett's reduction to 32.
  const __m128i low_words = _mm_setr_epi32(-1, 0, -1, 0);
  x = _mm_xor_si128(_mm_srli_si128(x, 8), _mm_clmulepi64_si128(x, by128, 0x10));
  const __m128i by64 = _mm_set_epi64x(0, 0x0163cd6124);
  x = _mm_xor_si128(_mm_srli_si128(x, 4),
                    _mm_clmulepi64_si128(_mm_and_si128(x, low_words), by64, 0x00));
  const __m128i polynomial = _mm_set_epi64x(0x01f7011641, 0x01db710641);
  __m128i y = _mm_clmulepi64_si128(_mm_and_si128(x, low_words), polynomial, 0x10);
  y = _mm_clmulepi64_si128(_mm_and_si128(y, low_words), polynomial, 0x00);
  return static_cast<std::uint32_t>(_mm_extract_epi32(_mm_xor_si128(x, y), 1));
}

/// `size` is a multiple of 16 and at least 64; `state` is the inverted checksum.
SAMESTEP_CLMUL std::uint32_t fold_blocks(const std::byte* at, std::size_t size,
                                         std::uint32_t state) noexcept {
  const __m128i by512 = by_bits<512>(), by128 = by_bits<128>();
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
  return finish(fold(fold(fold(x1, by128, x2), by128, x3), by128, x4), at, size);
}

#define SAMESTEP_WIDE_CLMUL __attribute__((target("vpclmulqdq,avx2,pclmul,sse4.1")))

SAMESTEP_WIDE_CLMUL __m256i wide_load(const std::byte* at) noexcept {
  return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(at));
}

SAMESTEP_WIDE_CLMUL __m256i wide_fold(__m256i x, __m256i k, __m256i next) noexcept {
  const __m256i low = _mm256_clmulepi64_epi128(x, k, 0x00);
  const __m256i high = _mm256_clmulepi64_epi128(x, k, 0x11);
  return _mm256_xor_si256(_mm256_xor_si256(low, high), next);
}

/// As fold_blocks(), twice as many bits an instruction; `size` is at least 128.
SAMESTEP_WIDE_CLMUL std::uint32_t fold_wide_blocks(const std::byte* at, std::size_t size,
                                                   std::uint32_t state) noexcept {
  const __m256i by1024 = _mm256_broadcastsi128_si256(by_bits<1024>());
  __m256i x[4] = {wide_load(at), wide_load(at + 32), wide_load(at + 64), wide_load(at + 96)};
  x[0] = _mm256_xor_si256(x[0], _mm256_zextsi128_si256(_mm_cvtsi32_si128(static_cast<int>(state))));
  at += 128, size -= 128;
  for (; size >= 128; at += 128, size -= 128) {
    _mm_prefetch(reinterpret_cast<const char*>(at) + kPrefetchBytes, _MM_HINT_T0);
    _mm_prefetch(reinterpret_cast<const char*>(at) + kPrefetchBytes + 64, _MM_HINT_T0);
    for (int i = 0; i < 4; ++i) x[i] = wide_fold(x[i], by1024, wide_load(at + 32 * i));
  }
  const __m128i by128 = by_bits<128>();
  __m128i all = _mm256_castsi256_si128(x[0]);
  all = fold(all, by128, _mm256_extracti128_si256(x[0], 1));
  for (int i = 1; i < 4; ++i) {
    all = fold(all, by128, _mm256_castsi256_si128(x[i]));
    all = fold(all, by128, _mm256_extracti128_si256(x[i], 1));
  }
  return finish(all, at, size);
}

}  // namespace

std::size_t fold_crc32(std::span<const std::byte> bytes, std::uint32_t& crc,
                       bool may_be_wide) noexcept {
  if (bytes.size() < 64 || !has_carryless_multiply()) return 0;
  const std::size_t folded = bytes.size() / 16 * 16;
  const bool wide = may_be_wide && folded >= 128 && has_wide_carryless_multiply();
  crc = ~(wide ? fold_wide_blocks : fold_blocks)(bytes.data(), folded, ~crc);
  return folded;
}

}  // namespace samestep

#else

namespace samestep {

std::size_t fold_crc32(std::span<const std::byte>, std::uint32_t&, bool) noexcept { return 0; }

}  // namespace samestep

#endif
