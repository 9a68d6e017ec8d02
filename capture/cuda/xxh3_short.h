// XXH3 (128 bits, seed 0, default secret) of inputs of at most 240 bytes, by one thread. See
// xxh3_lanes.h. A Source gives input.word(offset): 8 bytes at any offset, little-endian, and
// input.byte(offset).
#pragma once

#include "capture/cuda/xxh3_lanes.h"

namespace samestep::xxh3 {

SAMESTEP_HOST_DEVICE uint32_t reversed_bytes(uint32_t x) {
  return x << 24 | (x & 0xFF00) << 8 | (x >> 8 & 0xFF00) | x >> 24;
}

SAMESTEP_HOST_DEVICE uint64_t reversed_bytes(uint64_t x) {
  return static_cast<uint64_t>(reversed_bytes(static_cast<uint32_t>(x))) << 32 |
         reversed_bytes(static_cast<uint32_t>(x >> 32));
}

/// `count` bytes (at most 8) from `offset` on as a number.
template <class Source>
SAMESTEP_HOST_DEVICE uint64_t number_at(const Source& input, uint64_t offset, unsigned count) {
  uint64_t number = 0;
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
  for (unsigned i = 0; i < count; ++i)
    number |= static_cast<uint64_t>(input.byte(offset + i)) << (8 * i);
  return number;
}

template <class Source>
SAMESTEP_HOST_DEVICE WideSum of_1_to_3(const Source& input, uint32_t size) {
  const uint32_t first = input.byte(0), middle = input.byte(size >> 1), last = input.byte(size - 1);
  const uint32_t low = first << 16 | middle << 24 | last | size << 8;
  const uint32_t turned = reversed_bytes(low);
  const uint32_t high = turned << 13 | turned >> 19;
  const uint64_t secret_a = secret_word(0), secret_b = secret_word(1);
  const uint64_t flip_low = (secret_a ^ secret_a >> 32) & 0xFFFFFFFF,
                 flip_high = (secret_b ^ secret_b >> 32) & 0xFFFFFFFF;
  return {avalanche_of_xxh64(high ^ flip_high), avalanche_of_xxh64(low ^ flip_low)};
}

template <class Source>
SAMESTEP_HOST_DEVICE WideSum of_4_to_8(const Source& input, uint32_t size) {
  const uint64_t low = number_at(input, 0, 4), high = number_at(input, size - 4, 4);
  const uint64_t keyed = (low + (high << 32)) ^ secret_word(2) ^ secret_word(3);
  WideSum product = multiply(keyed, kPrime64a + (size << 2));
  product.high += product.low << 1;
  product.low ^= product.high >> 3;
  product.low = (product.low ^ product.low >> 35) * 0x9FB21C651E98DF25;
  return {avalanche(product.high), product.low ^ product.low >> 28};
}

template <class Source>
SAMESTEP_HOST_DEVICE WideSum of_9_to_16(const Source& input, uint32_t size) {
  const uint64_t low = input.word(0), high = input.word(size - 8);
  WideSum product = multiply(low ^ high ^ secret_word(4) ^ secret_word(5), kPrime64a);
  product.low += static_cast<uint64_t>(size - 1) << 54;
  const uint64_t flipped = high ^ secret_word(6) ^ secret_word(7);
  product.high += (flipped >> 32 << 32) + (flipped & 0xFFFFFFFF) * kPrime32b;
  product.low ^= reversed_bytes(product.high);
  WideSum digest = multiply(product.low, kPrime64b);
  digest.high += product.high * kPrime64b;
  return {avalanche(digest.high), avalanche(digest.low)};
}

template <class Source>
SAMESTEP_HOST_DEVICE uint64_t mixed_16(const Source& input, uint64_t offset, unsigned secret) {
  return fold(input.word(offset) ^ secret_at(secret),
              input.word(offset + 8) ^ secret_at(secret + 8));
}

template <class Source>
SAMESTEP_HOST_DEVICE_APART void mix_32(WideSum& sums, const Source& input, uint64_t first,
                                       uint64_t second, unsigned secret) {
  sums.low += mixed_16(input, first, secret);
  sums.low ^= input.word(second) + input.word(second + 8);
  sums.high += mixed_16(input, second, secret + 16);
  sums.high ^= input.word(first) + input.word(first + 8);
}

SAMESTEP_HOST_DEVICE WideSum ended(const WideSum& sums, uint32_t size) {
  const uint64_t high = sums.low * kPrime64a + sums.high * kPrime64d + size * kPrime64b;
  return {0 - avalanche(high), avalanche(sums.low + sums.high)};
}

template <class Source>
SAMESTEP_HOST_DEVICE WideSum of_17_to_128(const Source& input, uint32_t size) {
  WideSum sums = {0, size * kPrime64a};
  for (unsigned i = (size - 1) / 32 + 1; i-- > 0;)
    mix_32(sums, input, 16 * i, size - 16 * (i + 1), 32 * i);
  return ended(sums, size);
}

template <class Source>
SAMESTEP_HOST_DEVICE WideSum of_129_to_240(const Source& input, uint32_t size) {
  WideSum sums = {0, size * kPrime64a};
  for (unsigned i = 0; i < 4; ++i) mix_32(sums, input, 32 * i, 32 * i + 16, 32 * i);
  sums = {avalanche(sums.high), avalanche(sums.low)};
  for (unsigned i = 4; i < size / 32; ++i)
    mix_32(sums, input, 32 * i, 32 * i + 16, 3 + 32 * (i - 4));
  mix_32(sums, input, size - 16, size - 32, 136 - 17 - 16);
  return ended(sums, size);
}

/// The digest of `size` bytes, at most kShortBytesMax.
template <class Source>
SAMESTEP_HOST_DEVICE_APART WideSum short_digest(const Source& input, uint32_t size) {
  if (size > 128) return of_129_to_240(input, size);
  if (size > 16) return of_17_to_128(input, size);
  if (size > 8) return of_9_to_16(input, size);
  if (size > 3) return of_4_to_8(input, size);
  if (size > 0) return of_1_to_3(input, size);
  return {avalanche_of_xxh64(secret_word(10) ^ secret_word(11)),
          avalanche_of_xxh64(secret_word(8) ^ secret_word(9))};
}

}  // namespace samestep::xxh3
