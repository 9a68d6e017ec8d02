// The arithmetic of schemas/FINGERPRINT.md, one source for processors and devices.
//
// Nothing of the standard library that defines functions: see hasher_kernel.h.
#pragma once

#include <stdint.h>

#ifdef __CUDACC__
#define SAMESTEP_HOST_DEVICE static __host__ __device__ __forceinline__
#define SAMESTEP_HOST_DEVICE_APART static __host__ __device__ __noinline__  // where size counts
#define SAMESTEP_MEMBER __host__ __device__ __forceinline__
#else
#define SAMESTEP_HOST_DEVICE static inline
#define SAMESTEP_HOST_DEVICE_APART static inline
#define SAMESTEP_MEMBER inline
#endif

namespace samestep {

/// A number of 128 bits.
struct WideSum {
  uint64_t high, low;
};

inline constexpr uint64_t kIndexFactor = 0x9E3779B97F4A7C15, kIndexOffset = 0x6A09E667F3BCC908;

SAMESTEP_HOST_DEVICE uint64_t turn_halves(uint64_t y) { return y << 32 | y >> 32; }
SAMESTEP_HOST_DEVICE uint64_t fold_halves(uint64_t y) {
  return y + static_cast<uint64_t>(static_cast<uint32_t>(y)) * static_cast<uint32_t>(y >> 32);
}

/// The mix of word `x` at index `w`.
SAMESTEP_HOST_DEVICE WideSum mix_word(uint64_t w, uint64_t x) {
  uint64_t left = w * kIndexFactor + kIndexOffset;
  uint64_t right = x + fold_halves(left);
  left = turn_halves(left) + fold_halves(right);
  right = turn_halves(right) + fold_halves(left);
  left = turn_halves(left) + fold_halves(right);
  right = turn_halves(right) + fold_halves(left);
  return {left, right};
}

SAMESTEP_HOST_DEVICE void add_to(WideSum& sum, const WideSum& term) {
  sum.low += term.low;
  sum.high += term.high + (sum.low < term.low ? 1 : 0);
}

}  // namespace samestep
