// The tagged bytes of values, byte by byte.
#include <gtest/gtest.h>

#include "byte_helpers.h"

namespace samestep {
namespace {

std::string hex(const Value& value) {
  std::string text;
  for (const std::byte byte : streamed(*value_bytes(value))) {
    constexpr char kDigits[] = "0123456789abcdef";
    text += kDigits[static_cast<unsigned>(byte) >> 4];
    text += kDigits[static_cast<unsigned>(byte) & 15];
  }
  return text;
}

BigInt big(std::string_view bytes) { return {bytes_of(bytes)}; }

TEST(ValueBytes, EachKindHasItsTag) {
  EXPECT_EQ(hex(None{}), "00");
  EXPECT_EQ(hex(false), "0100");
  EXPECT_EQ(hex(true), "0101");
  EXPECT_EQ(hex(std::int64_t{258}), "020201000000000000");
  EXPECT_EQ(hex(std::int64_t{-2}), "02feffffffffffffff");
  EXPECT_EQ(hex(1.0), "04000000000000f03f");
  EXPECT_EQ(hex(std::string("ab")), "056162");
  EXPECT_EQ(hex(std::string()), "05");
  EXPECT_EQ(hex(Bytes{std::byte{9}}), "0609");
  EXPECT_EQ(hex(Numbers{std::vector<std::int64_t>{1}}), "070100000000000000");
  EXPECT_EQ(hex(Numbers{std::vector<double>{}}), "08");
}

TEST(ValueBytes, LargeIntegersAreMinimal) {
  EXPECT_EQ(hex(big({"\0\0\0\0\0\0\0\x80\0", 9})), "03000000000000008000");
  EXPECT_EQ(hex(big({"\0\0\0\0\0\0\0\x80\0\0\0", 11})), "03000000000000008000");
  EXPECT_EQ(hex(big({"\xff\xff\xff\xff\xff\xff\xff\x7f\xff\xff", 10})), "03ffffffffffffff7fff");
}

TEST(ValueBytes, AnIntegerHasOneForm) {
  EXPECT_EQ(hex(big({"\x05", 1})), hex(std::int64_t{5}));
  EXPECT_EQ(hex(big({"\xfe\xff\xff\xff\xff\xff\xff\xff\xff\xff", 10})), hex(std::int64_t{-2}));
  EXPECT_EQ(hex(big({"", 0})), hex(std::int64_t{0}));
  EXPECT_EQ(hex(big({"\0\0\0\0\0\0\0\x80", 8})), hex(std::int64_t{INT64_MIN}));
}

TEST(ValueBytes, AreOneSpan) {
  const auto bytes = value_bytes(std::string("hello"));
  EXPECT_EQ(bytes->size(), 6U);
  EXPECT_EQ(bytes->contiguous().size(), 6U);
}

}  // namespace
}  // namespace samestep
