// Sums of mixes, four words at a time. See hasher_kernel.h for what may be included here.
#include <immintrin.h>
#include <string.h>

#include "checkpoint/fingerprint_kernel.h"

namespace samestep {
namespace {

// The low halves are added in 64 bits; after so many vectors they are carried.
constexpr size_t kVectorsMax = size_t{1} << 28;

struct Sums {
  __m256i high, low_upper, low_lower;
};

inline __m256i turned(__m256i y) { return _mm256_shuffle_epi32(y, 0xB1); }

/// f(y), given turn(y).
inline __m256i folded(__m256i y, __m256i turned_y) {
  return _mm256_add_epi64(y, _mm256_mul_epu32(y, turned_y));
}

inline void add_mixes(__m256i left, __m256i words, Sums& sums) {
  const __m256i left_turned = turned(left);
  __m256i right = _mm256_add_epi64(words, folded(left, left_turned));
  const __m256i right_turned = turned(right);
  left = _mm256_add_epi64(left_turned, folded(right, right_turned));
  const __m256i left_again = turned(left);
  right = _mm256_add_epi64(right_turned, folded(left, left_again));
  const __m256i right_again = turned(right);
  left = _mm256_add_epi64(left_again, folded(right, right_again));
  right = _mm256_add_epi64(right_again, folded(left, turned(left)));
  sums.high = _mm256_add_epi64(sums.high, left);
  sums.low_upper = _mm256_add_epi64(sums.low_upper, _mm256_srli_epi64(right, 32));
  sums.low_lower =
      _mm256_add_epi64(sums.low_lower, _mm256_and_si256(right, _mm256_set1_epi64x(0xFFFFFFFF)));
}

inline void carry(const Sums& sums, WideSum* sum) {
  uint64_t high[4], upper[4], lower[4];
  memcpy(high, &sums.high, sizeof high);
  memcpy(upper, &sums.low_upper, sizeof upper);
  memcpy(lower, &sums.low_lower, sizeof lower);
  for (int lane = 0; lane < 4; ++lane) {
    add_to(*sum, {high[lane] + (upper[lane] >> 32), upper[lane] << 32});
    add_to(*sum, {0, lower[lane]});
  }
}

/// Vectors of 32 bytes: lane l holds the words l * kWords ... of `kBits` bits.
template <unsigned kBits>
void add_vectors(const unsigned char* bytes, size_t vectors, uint64_t first, WideSum* sum) {
  constexpr unsigned kWords = 64 / kBits;
  const uint64_t start = first * kIndexFactor + kIndexOffset;
  const auto at = [start](uint64_t offset) {
    const uint64_t index = start + offset * kIndexFactor;
    return static_cast<long long>(index);
  };
  __m256i index = _mm256_set_epi64x(at(3 * kWords), at(2 * kWords), at(kWords), at(0));
  constexpr uint64_t kStep = 4 * kWords * kIndexFactor;
  const __m256i step = _mm256_set1_epi64x(static_cast<long long>(kStep));
  const __m256i mask = _mm256_set1_epi64x(static_cast<long long>(~0ULL >> (64 - kBits)));
  Sums sums = {_mm256_setzero_si256(), _mm256_setzero_si256(), _mm256_setzero_si256()};
  for (size_t i = 0; i < vectors; ++i) {
    const __m256i lanes =
        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(bytes + i * sizeof(__m256i)));
#pragma GCC unroll 8
    for (unsigned word = 0; word < kWords; ++word) {
      const uint64_t distance = word * kIndexFactor;
      const __m256i offset = _mm256_set1_epi64x(static_cast<long long>(distance));
      const __m256i words =
          _mm256_and_si256(_mm256_srli_epi64(lanes, static_cast<int>(word * kBits)), mask);
      add_mixes(_mm256_add_epi64(index, offset), words, sums);
    }
    index = _mm256_add_epi64(index, step);
  }
  carry(sums, sum);
}

void add_some(const unsigned char* bytes, size_t vectors, unsigned width, uint64_t first,
              WideSum* sum) {
  switch (width) {
    case 1:
      return add_vectors<8>(bytes, vectors, first, sum);
    case 2:
      return add_vectors<16>(bytes, vectors, first, sum);
    case 4:
      return add_vectors<32>(bytes, vectors, first, sum);
    default:
      return add_vectors<64>(bytes, vectors, first, sum);
  }
}

void add(const void* words, size_t count, unsigned width, uint64_t first, WideSum* sum) {
  const auto* bytes = static_cast<const unsigned char*>(words);
  const size_t words_each = sizeof(__m256i) / width;
  while (count >= words_each) {
    const size_t most = count / words_each;
    const size_t vectors = most < kVectorsMax ? most : kVectorsMax;
    add_some(bytes, vectors, width, first, sum);
    bytes += vectors * sizeof(__m256i);
    first += vectors * words_each;
    count -= vectors * words_each;
  }
  for (; count > 0; --count, ++first, bytes += width) {
    uint64_t word = 0;
    memcpy(&word, bytes, width);
    add_to(*sum, mix_word(first, word));
  }
}

}  // namespace

const FingerprintKernel kAvx2Fingerprint = {"avx2", add};

}  // namespace samestep
