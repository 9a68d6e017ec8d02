#include <atomic>
#include <chrono>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <new>

#include "checkpoint/hasher_kernel.h"

#ifdef SAMESTEP_X86_KERNELS
#include <emmintrin.h>
#endif

namespace samestep {
namespace {

constexpr std::size_t kTrialBytes = 256 << 10;
constexpr int kTrialRounds = 5;
// Less than this is digested in less time than the trial takes.
constexpr std::size_t kWorthTrialBytes = 16 << 20;

bool same_bits(const HashKernel& kernel) noexcept {
  unsigned char bytes[2048];
  for (std::size_t i = 0; i < sizeof bytes; ++i) bytes[i] = static_cast<unsigned char>(i * 37 + 11);
  for (const std::size_t size : {0, 1, 4, 9, 17, 129, 240, 241, 1024, 1025, 2047}) {
    uint64_t want[2], got[2];
    kPortableHash.hash(bytes + 1, size, want);
    kernel.hash(bytes + 1, size, got);
    if (std::memcmp(want, got, sizeof want) != 0) return false;
  }
  return true;
}

void add(HashKernels& kernels, const HashKernel& kernel) noexcept {
  if (same_bits(kernel)) kernels.list[kernels.count++] = &kernel;
}

/// Out of all caches, so that a trial reads from memory as real work does.
void evict(const unsigned char* bytes, std::size_t size) noexcept {
#ifdef SAMESTEP_X86_KERNELS
  for (std::size_t i = 0; i < size; i += 64) _mm_clflush(bytes + i);
  _mm_mfence();
#else
  static_cast<void>(bytes), static_cast<void>(size);
#endif
}

std::chrono::nanoseconds trial(const HashKernel& kernel, const unsigned char* bytes) noexcept {
  evict(bytes, kTrialBytes);
  const auto started = std::chrono::steady_clock::now();
  uint64_t halves[2];
  for (std::size_t i = 0; i < kTrialBytes; i += 64 << 10) kernel.hash(bytes + i, 64 << 10, halves);
  return std::chrono::steady_clock::now() - started;
}

const HashKernel& fastest(const HashKernels& kernels) noexcept {
  const HashKernel& untimed = *kernels.list[kernels.count - 1];
  if (kernels.count < 2) return untimed;
  const std::unique_ptr<unsigned char[]> bytes(new (std::nothrow) unsigned char[kTrialBytes]);
  if (!bytes) return untimed;
  std::memset(bytes.get(), 1, kTrialBytes);
  std::chrono::nanoseconds best[3];
  for (int round = 0; round < kTrialRounds; ++round) {
    for (unsigned i = 0; i < kernels.count; ++i) {
      const auto time = trial(*kernels.list[i], bytes.get());
      if (round == 0 || time < best[i]) best[i] = time;
    }
  }
  unsigned first = 0;
  for (unsigned i = 1; i < kernels.count; ++i) {
    if (best[i] < best[first]) first = i;
  }
  return *kernels.list[first];
}

// No lock: after fork() one may be held for ever. Two threads that meet here do the same work.
std::atomic<const HashKernel*> untimed_choice{nullptr}, timed_choice{nullptr};

}  // namespace

HashKernels hash_kernels() noexcept {
  HashKernels kernels{{&kPortableHash, nullptr, nullptr}, 1};
#ifdef SAMESTEP_X86_KERNELS
  if (__builtin_cpu_supports("avx2")) add(kernels, kAvx2Hash);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw"))
    add(kernels, kAvx512Hash);
#endif
  return kernels;
}

const HashKernel& hash_kernel(std::size_t bytes_of_work) noexcept {
  if (const HashKernel* timed = timed_choice.load(std::memory_order_relaxed)) return *timed;
  if (bytes_of_work >= kWorthTrialBytes) {
    const HashKernel& kernel = fastest(hash_kernels());
    timed_choice.store(&kernel, std::memory_order_relaxed);
    return kernel;
  }
  const HashKernel* kernel = untimed_choice.load(std::memory_order_relaxed);
  if (!kernel) {
    const HashKernels kernels = hash_kernels();
    kernel = kernels.list[kernels.count > 1 ? 1 : 0];
    untimed_choice.store(kernel, std::memory_order_relaxed);
  }
  return *kernel;
}

}  // namespace samestep
