// The one body of all hash kernels. Included once by each source that is compiled for an
// instruction set, after its settings of xxHash; see hasher_kernel.h for what may be included here.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "checkpoint/hasher_kernel.h"

namespace samestep {
namespace {

inline void hash(const void* bytes, size_t size, uint64_t halves[2]) {
  const XXH128_hash_t digest = XXH3_128bits(bytes, size);
  halves[0] = digest.low64;
  halves[1] = digest.high64;
}

}  // namespace
}  // namespace samestep
