// XXH3 compiled for the baseline of the architecture.
#include "checkpoint/hasher_xxh3.h"

namespace samestep {

const HashKernel kPortableHash = {"portable", hash};

}  // namespace samestep
