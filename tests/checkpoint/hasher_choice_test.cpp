// Every kernel that this machine can run gives the bits of the portable one.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "byte_helpers.h"
#include "checkpoint/hasher_kernel.h"

namespace samestep {
namespace {

std::string hashed(const HashKernel& kernel, const std::byte* bytes, std::size_t size) {
  uint64_t halves[2];
  kernel.hash(bytes, size, halves);
  return std::to_string(halves[0]) + " " + std::to_string(halves[1]);
}

TEST(HasherChoice, AllKernelsGiveTheSameBits) {
  const auto bytes = ramp(3 * 65536);
  const HashKernels kernels = hash_kernels();
  ASSERT_GE(kernels.count, 1U);
  EXPECT_STREQ(kernels.list[0]->name, "portable");
  for (unsigned i = 1; i < kernels.count; ++i) {
    const HashKernel& kernel = *kernels.list[i];
    for (std::size_t size = 0; size <= 4096; ++size) {
      ASSERT_EQ(hashed(kernel, bytes.data() + size % 64, size),
                hashed(kPortableHash, bytes.data() + size % 64, size))
          << kernel.name << " " << size;
    }
    for (const std::size_t size : {65535, 65536, 65537, 131072, 190'001}) {
      ASSERT_EQ(hashed(kernel, bytes.data() + 1, size),
                hashed(kPortableHash, bytes.data() + 1, size))
          << kernel.name << " " << size;
    }
  }
}

TEST(HasherChoice, AProcessorWithAvx2HasAKernelForIt) {
#if defined(__x86_64__)
  std::set<std::string> names;
  const HashKernels kernels = hash_kernels();
  for (unsigned i = 0; i < kernels.count; ++i) names.insert(kernels.list[i]->name);
  EXPECT_EQ(names.count("avx2") == 1, __builtin_cpu_supports("avx2") != 0);
#else
  GTEST_SKIP() << "no x86 processor";
#endif
}

TEST(HasherChoice, TheTimedChoiceIsOneOfTheKernelsAndStays) {
  const HashKernel& small = hash_kernel(1);
  EXPECT_EQ(&hash_kernel(2), &small);
  const HashKernel& timed = hash_kernel(1 << 30);
  const HashKernels kernels = hash_kernels();
  bool known = false;
  for (unsigned i = 0; i < kernels.count; ++i) known |= kernels.list[i] == &timed;
  EXPECT_TRUE(known);
  EXPECT_EQ(&hash_kernel(1 << 30), &timed);
  EXPECT_EQ(&hash_kernel(1), &timed);
}

}  // namespace
}  // namespace samestep
