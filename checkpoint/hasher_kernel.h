// HashKernel: XXH3 compiled for one instruction set. All of them give the same bits.
//
// The sources behind it are compiled for instruction sets that the machine may lack, so neither
// this header nor they include anything of the standard library that defines functions: the linker
// keeps one copy of such a function for the whole program, and it might keep theirs.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace samestep {

struct HashKernel {
  const char* name;
  /// XXH3 (128 bits, seed 0, default secret) of `size` bytes: halves[0] is the low half.
  void (*hash)(const void* bytes, size_t size, uint64_t halves[2]);
};

/// The kernels that this machine can run, portable one first, and their number. A kernel that does
/// not give the bits of the portable one is left out.
struct HashKernels {
  const HashKernel* list[3];
  unsigned count;
};
HashKernels hash_kernels() noexcept;

/// The one to use. Work of fewer than 16 MiB gets AVX2 where there is one, untimed. Before the
/// first larger work all are timed once on memory that is in no cache (some milliseconds), and the
/// fastest stays, because which one that is depends on the processor (AVX2 beats AVX-512 from
/// memory on Zen 4). Any thread may call it, also after fork().
const HashKernel& hash_kernel(size_t bytes_of_work) noexcept;

extern const HashKernel kPortableHash;
#ifdef SAMESTEP_X86_KERNELS
extern const HashKernel kAvx2Hash, kAvx512Hash;
#endif

}  // namespace samestep
