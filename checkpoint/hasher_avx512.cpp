// XXH3 compiled for AVX-512.
// Far enough ahead to hide memory's latency; between 384 bytes, the default, and 4,096 little
// differs.
#define XXH_PREFETCH_DIST 1024
#include "checkpoint/hasher_xxh3.h"

namespace samestep {

const HashKernel kAvx512Hash = {"avx512", hash};

}  // namespace samestep
