// XXH3 compiled for the baseline of the architecture; see hasher_kernel.h for what may be included
// here.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "checkpoint/hasher_kernel.h"

namespace samestep {
namespace {

void hash(const void* bytes, size_t size, uint64_t halves[2]) {
  const XXH128_hash_t digest = XXH3_128bits(bytes, size);
  halves[0] = digest.low64;
  halves[1] = digest.high64;
}

}  // namespace

const HashKernel kPortableHash = {"portable", hash};

}  // namespace samestep
