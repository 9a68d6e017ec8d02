// What one thread of four does with a chunk of at most 64 KiB: its two accumulators of XXH3, and
// the fingerprint's mixes of the bytes it reads, which are read once for both.
#pragma once

#include "capture/cuda/chunk_source.h"
#include "capture/cuda/xxh3_short.h"

namespace samestep {

/// Mixes of one thread's words of 2^shift bytes; `first` is the index of the chunk's first word.
struct Print {
  uint64_t first;
  uint32_t shift;
  WideSum sum;
};

/// The mixes of the words of `kWidth` bytes in 16 bytes, the first one at `index`.
template <unsigned kWidth>
SAMESTEP_HOST_DEVICE WideSum mixes_of(const xxh3::Pair& pair, uint64_t index) {
  constexpr uint64_t kMask = ~uint64_t{0} >> (64 - 8 * kWidth);
  constexpr unsigned kHalf = 8 / kWidth;
  WideSum sum = {0, 0};
  for (unsigned i = 0; i < kHalf; ++i) {
    add_to(sum, mix_word(index + i, pair.a >> (8 * kWidth * i) & kMask));
    add_to(sum, mix_word(index + kHalf + i, pair.b >> (8 * kWidth * i) & kMask));
  }
  return sum;
}

/// The same of words of 2^shift bytes.
SAMESTEP_HOST_DEVICE_APART WideSum mixes_of(const xxh3::Pair& pair, uint64_t index,
                                            uint32_t shift) {
  switch (shift) {
    case 0:
      return mixes_of<1>(pair, index);
    case 1:
      return mixes_of<2>(pair, index);
    case 2:
      return mixes_of<4>(pair, index);
    default:
      return mixes_of<8>(pair, index);
  }
}

/// Adds the words of 16 bytes at `offset` of the chunk.
SAMESTEP_HOST_DEVICE void add_pair(Print& print, const xxh3::Pair& pair, uint64_t offset) {
  add_to(print.sum, mixes_of(pair, print.first + (offset >> print.shift), print.shift));
}

/// The words of the secret that a thread needs for a block: a device keeps them in registers.
struct BlockSecret {
  uint64_t word[xxh3::kBlockStripes + 2];
};

SAMESTEP_HOST_DEVICE BlockSecret block_secret(unsigned pair) {
  BlockSecret secret;
#ifdef __CUDA_ARCH__
#pragma unroll
#endif
  for (unsigned i = 0; i < xxh3::kBlockStripes + 2; ++i)
    secret.word[i] = xxh3::secret_word(i + 2 * pair);
  return secret;
}

/// Takes in this thread's 16 bytes of a whole block that begins at `begin`: into `sums`, and into
/// `print` where kPrint. Where loads are all that takes time, all 16 are in flight at once.
template <bool kPrint, class Source>
SAMESTEP_HOST_DEVICE void read_block(const Source& input, uint64_t begin, unsigned pair,
                                     const BlockSecret& secret, xxh3::Pair& sums, Print& print) {
  constexpr bool kAllAtOnce = Source::kFast && !kPrint;
#ifdef __CUDA_ARCH__
#pragma unroll(kAllAtOnce ? 16 : 1)
#endif
  for (unsigned stripe = 0; stripe < xxh3::kBlockStripes; ++stripe) {
    const uint64_t offset = begin + stripe * xxh3::kStripeBytes + 16 * pair;
    const xxh3::Pair bytes = input.pair(offset);
    if constexpr (kAllAtOnce) {
      xxh3::accumulate(sums, bytes, secret.word[stripe], secret.word[stripe + 1]);
    } else {  // an array that is indexed at run time would leave the registers
      xxh3::accumulate(sums, bytes, xxh3::secret_word(stripe + 2 * pair),
                       xxh3::secret_word(stripe + 2 * pair + 1));
    }
    if constexpr (kPrint) add_pair(print, bytes, offset);
  }
}

/// The same of the first `stripes` stripes of the last block.
template <bool kPrint, class Source>
SAMESTEP_HOST_DEVICE void read_stripes(const Source& input, uint64_t begin, unsigned stripes,
                                       unsigned pair, xxh3::Pair& sums, Print& print) {
  for (unsigned stripe = 0; stripe < stripes; ++stripe) {
    const uint64_t offset = begin + stripe * xxh3::kStripeBytes + 16 * pair;
    const xxh3::Pair bytes = input.pair(offset);
    xxh3::accumulate(sums, bytes, xxh3::secret_word(stripe + 2 * pair),
                     xxh3::secret_word(stripe + 2 * pair + 1));
    if constexpr (kPrint) add_pair(print, bytes, offset);
  }
}

/// Puts a block that was read alone, into sums that began at 0, behind those before it.
SAMESTEP_HOST_DEVICE void chain(xxh3::Pair& sums, const xxh3::Pair& block,
                                const BlockSecret& secret) {
  sums.a = xxh3::scrambled(sums.a + block.a, secret.word[xxh3::kBlockStripes]);
  sums.b = xxh3::scrambled(sums.b + block.b, secret.word[xxh3::kBlockStripes + 1]);
}

SAMESTEP_HOST_DEVICE unsigned whole_blocks(uint32_t size) { return (size - 1) / xxh3::kBlockBytes; }
SAMESTEP_HOST_DEVICE unsigned stripes_after(uint32_t size, unsigned blocks) {
  return (size - 1 - blocks * xxh3::kBlockBytes) / xxh3::kStripeBytes;
}

/// Mixes what follows the last whole stripe (all of a short chunk): 16 bytes a thread at a time.
template <class Source>
SAMESTEP_HOST_DEVICE_APART void print_tail(const Source& input, uint32_t begin, uint32_t size,
                                           unsigned pair, Print& print) {
  for (uint32_t at = begin + 16 * pair; at < size; at += xxh3::kStripeBytes) {
    const uint32_t end = at + 16 < size ? at + 16 : size;
    for (uint32_t offset = at; offset < end; offset += 1u << print.shift) {
      const uint64_t word = xxh3::number_at(input, offset, 1u << print.shift);
      add_to(print.sum, mix_word(print.first + (offset >> print.shift), word));
    }
  }
}

/// The partial block and the last stripe of a long chunk, after its whole blocks.
template <bool kPrint, class Source>
SAMESTEP_HOST_DEVICE_APART void end_long(const Source& input, uint32_t size, unsigned pair,
                                         xxh3::Pair& sums, Print& print) {
  const unsigned blocks = whole_blocks(size), stripes = stripes_after(size, blocks);
  const uint32_t begin = blocks * xxh3::kBlockBytes;
  read_stripes<kPrint>(input, begin, stripes, pair, sums, print);
  if constexpr (kPrint) print_tail(input, begin + stripes * xxh3::kStripeBytes, size, pair, print);
  const uint64_t last = size - xxh3::kStripeBytes + 16 * pair;
  const xxh3::Pair bytes = {input.word(last), input.word(last + 8)};
  xxh3::accumulate(sums, bytes, xxh3::secret_at(xxh3::kLastStripeAt + 16 * pair),
                   xxh3::secret_at(xxh3::kLastStripeAt + 16 * pair + 8));
}

/// All of a long chunk by four threads: this one's accumulators.
template <bool kPrint, class Source>
SAMESTEP_HOST_DEVICE xxh3::Pair read_long(const Source& input, uint32_t size, unsigned pair,
                                          Print& print) {
  const BlockSecret secret = block_secret(pair);
  xxh3::Pair sums = xxh3::first_accumulators(pair);
  const unsigned blocks = whole_blocks(size);
  for (unsigned block = 0; block < blocks; ++block) {
    read_block<kPrint>(input, uint64_t{block} * xxh3::kBlockBytes, pair, secret, sums, print);
    chain(sums, {0, 0}, secret);
  }
  end_long<kPrint>(input.anywhere(), size, pair, sums, print);
  return sums;
}

}  // namespace samestep
