#include "checkpoint/containers/crc32_fold.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "checkpoint/containers/inflate.h"

namespace samestep {
namespace {

/// Each width at each length and place: a processor with the wide one never takes the other by
/// itself.
TEST(FoldCrc32, AgreesWithZlibAtEitherWidth) {
  std::mt19937 generator(11);
  std::vector<std::byte> bytes(1200);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(generator());
  for (const bool wide : {false, true})
    for (std::size_t begin = 0; begin < 18; ++begin)
      for (std::size_t size = 0; begin + size <= bytes.size(); size += size < 300 ? 1 : 61) {
        const std::span<const std::byte> part(bytes.data() + begin, size);
        std::uint32_t crc = 0x89ABCDEFu;
        const std::size_t folded = fold_crc32(part, crc, wide);
        ASSERT_LE(folded, size);
        if (size < 64) {
          ASSERT_EQ(folded, 0u);
        }
        ASSERT_EQ(crc, crc32_of(part.first(folded), 0x89ABCDEFu)) << wide << begin << " " << size;
      }
}

}  // namespace
}  // namespace samestep
