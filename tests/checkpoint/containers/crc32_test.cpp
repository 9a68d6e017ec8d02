#include "checkpoint/containers/crc32.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "checkpoint/containers/inflate.h"

namespace samestep {
namespace {

std::vector<std::byte> random_bytes(std::size_t size) {
  std::mt19937 generator(7);
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(generator());
  return bytes;
}

TEST(Crc32, IsTheOneOfZip) {
  const std::string check = "123456789";  // the check value of the CRC catalogue
  EXPECT_EQ(fast_crc32(std::as_bytes(std::span(check))), 0xCBF43926u);
  EXPECT_EQ(fast_crc32({}), 0u);
}

TEST(Crc32, AgreesWithZlibAtEachLengthAndPlace) {
  const auto bytes = random_bytes(600);
  for (std::size_t begin = 0; begin < 20; ++begin)
    for (std::size_t size = 0; begin + size <= bytes.size(); size += size < 200 ? 1 : 37) {
      const std::span<const std::byte> part(bytes.data() + begin, size);
      ASSERT_EQ(fast_crc32(part), crc32_of(part)) << begin << " " << size;
      ASSERT_EQ(fast_crc32(part, 0x12345678u), crc32_of(part, 0x12345678u)) << begin << " " << size;
    }
}

TEST(Crc32, CombinesPieces) {
  const auto bytes = random_bytes(100'000);
  const std::span<const std::byte> all(bytes);
  for (const std::size_t cut : {0ul, 1ul, 63ul, 64ul, 4096ul, 65'537ul, 99'999ul, 100'000ul}) {
    const auto first = fast_crc32(all.first(cut)), second = fast_crc32(all.subspan(cut));
    EXPECT_EQ(combine_crc32(first, second, all.size() - cut), fast_crc32(all)) << cut;
  }
}

}  // namespace
}  // namespace samestep
