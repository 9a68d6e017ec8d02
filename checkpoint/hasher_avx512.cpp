// XXH3 compiled for AVX-512.
// Far enough ahead to hide memory's latency; 384 bytes, the default, are a few per cent slower.
#define XXH_PREFETCH_DIST 1024
#include "checkpoint/hasher_xxh3.h"

namespace samestep {

const HashKernel kAvx512Hash = {"avx512", hash};

}  // namespace samestep
