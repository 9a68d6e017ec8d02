// A chunk digested on the host as a device does it, thread by thread.
#pragma once

#include <span>
#include <vector>

#include "capture/cuda/chunk_work.h"
#include "schemas/digest.h"
#include "schemas/fingerprint.h"

namespace samestep {

struct ChunkResult {
  Digest digest;
  Fingerprint print;
};

/// Four threads a chunk.
template <class Source>
ChunkResult by_four(const Source& input, std::uint32_t size, Print print) {
  WideSum parts{0, 0};
  if (size <= xxh3::kShortBytesMax) {
    for (unsigned pair = 0; pair < xxh3::kPairs; ++pair) print_tail(input, 0, size, pair, print);
    const WideSum digest = xxh3::short_digest(input, size);
    return {{digest.high, digest.low}, {print.sum.high, print.sum.low}};
  }
  for (unsigned pair = 0; pair < xxh3::kPairs; ++pair) {
    const WideSum part = xxh3::merge_part(read_long<true>(input, size, pair, print), pair);
    parts.high += part.high;
    parts.low += part.low;
  }
  const WideSum digest = xxh3::merged(parts, size);
  return {{digest.high, digest.low}, {print.sum.high, print.sum.low}};
}

/// Four threads a block, blocks in any order, then the chain.
template <class Source>
ChunkResult by_many(const Source& input, std::uint32_t size, Print print) {
  if (size <= xxh3::kShortBytesMax) return by_four(input, size, print);
  const unsigned blocks = whole_blocks(size);
  std::vector<xxh3::Pair> sums(blocks * xxh3::kPairs);
  for (unsigned i = blocks * xxh3::kPairs; i-- > 0;) {
    const unsigned pair = i % xxh3::kPairs;
    read_block<true>(input, i / xxh3::kPairs * xxh3::kBlockBytes, pair, block_secret(pair), sums[i],
                     print);
  }
  WideSum parts{0, 0};
  for (unsigned pair = 0; pair < xxh3::kPairs; ++pair) {
    xxh3::Pair all = xxh3::first_accumulators(pair);
    for (unsigned block = 0; block < blocks; ++block)
      chain(all, sums[block * xxh3::kPairs + pair], block_secret(pair));
    end_long<true>(input, size, pair, all, print);
    const WideSum part = xxh3::merge_part(all, pair);
    parts.high += part.high;
    parts.low += part.low;
  }
  const WideSum digest = xxh3::merged(parts, size);
  return {{digest.high, digest.low}, {print.sum.high, print.sum.low}};
}

}  // namespace samestep
