// FingerprintKernel: sums of mixes, once for each instruction set. See hasher_kernel.h for what
// this header and the sources behind it may include.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "checkpoint/fingerprint_mix.h"

namespace samestep {

/// Adds the mixes of `count` words of `width` bytes (1, 2, 4 or 8) that lie at `words`, any
/// alignment, the first one at index `first`, to `sum`. All kernels give the same bits.
struct FingerprintKernel {
  const char* name;
  void (*add)(const void* words, size_t count, unsigned width, uint64_t first, WideSum* sum);
};

extern const FingerprintKernel kPortableFingerprint;
#ifdef SAMESTEP_X86_KERNELS
extern const FingerprintKernel kAvx2Fingerprint;
#endif
/// The fastest that this machine can run and that gives the bits of the portable one.
const FingerprintKernel& fingerprint_kernel() noexcept;

}  // namespace samestep
