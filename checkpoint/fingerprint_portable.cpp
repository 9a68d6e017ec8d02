#include <cstring>
#include <initializer_list>

#include "checkpoint/fingerprint_kernel.h"

namespace samestep {
namespace {

template <typename Word>
void add_words(const void* words, size_t count, uint64_t first, WideSum* sum) {
  WideSum total = *sum;
  for (size_t i = 0; i < count; ++i) {
    Word word;
    std::memcpy(&word, static_cast<const char*>(words) + i * sizeof word, sizeof word);
    add_to(total, mix_word(first + i, word));
  }
  *sum = total;
}

void add(const void* words, size_t count, unsigned width, uint64_t first, WideSum* sum) {
  switch (width) {
    case 1:
      return add_words<uint8_t>(words, count, first, sum);
    case 2:
      return add_words<uint16_t>(words, count, first, sum);
    case 4:
      return add_words<uint32_t>(words, count, first, sum);
    default:
      return add_words<uint64_t>(words, count, first, sum);
  }
}

bool same_bits(const FingerprintKernel& kernel) noexcept {
  unsigned char bytes[1001];
  for (size_t i = 0; i < sizeof bytes; ++i) bytes[i] = static_cast<unsigned char>(i * 37 + 11);
  for (const unsigned width : {1U, 2U, 4U, 8U}) {
    WideSum want = {1, ~0ULL}, got = want;
    add(bytes + 1, 1000 / width, width, ~0ULL - 100, &want);
    kernel.add(bytes + 1, 1000 / width, width, ~0ULL - 100, &got);
    if (got.high != want.high || got.low != want.low) return false;
  }
  return true;
}

}  // namespace

const FingerprintKernel kPortableFingerprint = {"portable", add};

const FingerprintKernel& fingerprint_kernel() noexcept {
#ifdef SAMESTEP_X86_KERNELS
  static const bool kWide = __builtin_cpu_supports("avx2") != 0 && same_bits(kAvx2Fingerprint);
  if (kWide) return kAvx2Fingerprint;
#endif
  return kPortableFingerprint;
}

}  // namespace samestep
