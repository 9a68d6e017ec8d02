// The arithmetic of XXH3 (128 bits, seed 0, default secret) in the form that a device needs: eight
// accumulators of 64 bits as four pairs, each carried by one thread. One source for processors and
// devices, so that tests on any machine prove its bits against the library.
//
// After the algorithm's specification (doc/xxhash_spec.md of xxHash 0.8). An input of more than 240
// bytes is read in stripes of 64 bytes, of which a pair takes 16. After 16 stripes (a block of 1024
// bytes) the accumulators are scrambled; within a block they are sums, so blocks can be summed
// apart and then chained.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "checkpoint/fingerprint_mix.h"

#define SAMESTEP_XXH3_SECRET                                                          \
  0xbe4ba423396cfeb8, 0x1cad21f72c81017c, 0xdb979083e96dd4de, 0x1f67b3b7a4a44072,     \
      0x78e5c0cc4ee679cb, 0x2172ffcc7dd05a82, 0x8e2443f7744608b8, 0x4c263a81e69035e0, \
      0xcb00c391bb52283c, 0xa32e531b8b65d088, 0x4ef90da297486471, 0xd8acdea946ef1938, \
      0x3f349ce33f76faa8, 0x1d4f0bc7c7bbdcf9, 0x3159b4cd4be0518a, 0x647378d9c97e9fc8, \
      0xc3ebd33483acc5ea, 0xeb6313faffa081c5, 0x49daf0b751dd0d17, 0x9e68d429265516d3, \
      0xfca1477d58be162b, 0xce31d07ad1b8f88f, 0x280416958f3acb45, 0x7e404bbbcafbd7af

namespace samestep::xxh3 {

inline constexpr uint64_t kPrime32a = 0x9E3779B1, kPrime32b = 0x85EBCA77, kPrime32c = 0xC2B2AE3D;
inline constexpr uint64_t kPrime64a = 0x9E3779B185EBCA87, kPrime64b = 0xC2B2AE3D27D4EB4F,
                          kPrime64c = 0x165667B19E3779F9, kPrime64d = 0x85EBCA77C2B2AE63,
                          kPrime64e = 0x27D4EB2F165667C5;
inline constexpr unsigned kPairs = 4, kStripeBytes = 64, kBlockStripes = 16, kBlockBytes = 1024;
inline constexpr unsigned kShortBytesMax = 240;
// Where in the secret the parts of a long input begin.
inline constexpr unsigned kLastStripeAt = 121, kMergeLowAt = 11, kMergeHighAt = 117;

#ifdef __CUDACC__
static __device__ const uint64_t kDeviceSecret[] = {SAMESTEP_XXH3_SECRET};
#endif
inline constexpr uint64_t kSecret[] = {SAMESTEP_XXH3_SECRET};

/// 8 bytes of the secret.
SAMESTEP_HOST_DEVICE uint64_t secret_word(unsigned index) {
#ifdef __CUDA_ARCH__
  return kDeviceSecret[index];
#else
  return kSecret[index];
#endif
}

/// The same at any byte.
SAMESTEP_HOST_DEVICE uint64_t secret_at(unsigned byte) {
  const unsigned shift = 8 * (byte % 8);
  const uint64_t low = secret_word(byte / 8);
  return shift == 0 ? low : low >> shift | secret_word(byte / 8 + 1) << (64 - shift);
}

/// 16 bytes of input, and the two accumulators that take them in.
struct Pair {
  uint64_t a, b;
};

SAMESTEP_HOST_DEVICE WideSum multiply(uint64_t x, uint64_t y) {
#ifdef __CUDA_ARCH__
  return {__umul64hi(x, y), x * y};
#else
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(x) * y;
  return {static_cast<uint64_t>(product >> 64), static_cast<uint64_t>(product)};
#endif
}

SAMESTEP_HOST_DEVICE uint64_t fold(uint64_t x, uint64_t y) {
  const WideSum product = multiply(x, y);
  return product.high ^ product.low;
}

SAMESTEP_HOST_DEVICE uint64_t multiply_halves(uint64_t x) {
  return static_cast<uint64_t>(static_cast<uint32_t>(x)) * static_cast<uint32_t>(x >> 32);
}

SAMESTEP_HOST_DEVICE uint64_t avalanche(uint64_t x) {
  x = (x ^ x >> 37) * 0x165667919E3779F9;
  return x ^ x >> 32;
}

SAMESTEP_HOST_DEVICE uint64_t avalanche_of_xxh64(uint64_t x) {
  x = (x ^ x >> 33) * kPrime64b;
  x = (x ^ x >> 29) * kPrime64c;
  return x ^ x >> 32;
}

SAMESTEP_HOST_DEVICE Pair first_accumulators(unsigned pair) {
  switch (pair) {
    case 0:
      return {kPrime32c, kPrime64a};
    case 1:
      return {kPrime64b, kPrime64c};
    case 2:
      return {kPrime64d, kPrime32b};
    default:
      return {kPrime64e, kPrime32a};
  }
}

/// Takes in 16 bytes under two words of the secret.
SAMESTEP_HOST_DEVICE void accumulate(Pair& sums, const Pair& input, uint64_t secret_a,
                                     uint64_t secret_b) {
  sums.a += input.b + multiply_halves(input.a ^ secret_a);
  sums.b += input.a + multiply_halves(input.b ^ secret_b);
}

SAMESTEP_HOST_DEVICE uint64_t scrambled(uint64_t sum, uint64_t secret) {
  return (sum ^ sum >> 47 ^ secret) * kPrime32a;
}

/// What a pair adds to each half of the digest; the four are summed and given to merged().
SAMESTEP_HOST_DEVICE WideSum merge_part(const Pair& sums, unsigned pair) {
  const unsigned low = kMergeLowAt + 16 * pair, high = kMergeHighAt + 16 * pair;
  return {fold(sums.a ^ secret_at(high), sums.b ^ secret_at(high + 8)),
          fold(sums.a ^ secret_at(low), sums.b ^ secret_at(low + 8))};
}

/// The digest of a long input of `size` bytes; `parts` are added half by half, without a carry.
SAMESTEP_HOST_DEVICE WideSum merged(const WideSum& parts, uint64_t size) {
  return {avalanche(parts.high + ~(size * kPrime64b)), avalanche(parts.low + size * kPrime64a)};
}

}  // namespace samestep::xxh3
