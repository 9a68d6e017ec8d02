#include "checkpoint/containers/byte_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/checkpoint/error_text.h"
#include "tests/checkpoint/foreign.h"

namespace samestep {
namespace {

using foreign::error_text;
using foreign::slice_of;
using testing::HasSubstr;

TEST(ByteReader, ReadsLittleEndianNumbersInOrder) {
  const FileSlice slice =
      slice_of(std::string("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f", 15));
  ByteReader reader(slice);
  EXPECT_EQ(reader.u8("a"), 0x01u);
  EXPECT_EQ(reader.u16("b"), 0x0302u);
  EXPECT_EQ(reader.u32("c"), 0x07060504u);
  EXPECT_EQ(reader.u64("d"), 0x0f0e0d0c0b0a0908u);
  EXPECT_EQ(reader.left(), 0u);
}

TEST(ByteReader, TakesLinesWithoutTheirEnd) {
  const FileSlice slice = slice_of("one\n\ntwo");
  ByteReader reader(slice);
  EXPECT_EQ(reader.line("line"), "one");
  EXPECT_EQ(reader.line("line"), "");
  EXPECT_THAT(error_text([&] { reader.line("line"); }), HasSubstr("has no end of line"));
}

TEST(ByteReader, SaysFileAndOffsetWhenTooFewBytesAreLeft) {
  FileSlice slice = slice_of("abc", "shard.bin");
  slice.offset = 1000;
  ByteReader reader(slice, 1);
  EXPECT_THAT(error_text([&] { reader.u32("size"); }),
              HasSubstr("shard.bin, byte 1001: size needs 4 bytes, 2 are left"));
  EXPECT_THAT(error_text([&] { reader.take(UINT64_MAX, "data"); }),
              HasSubstr("18446744073709551615"));
  EXPECT_EQ(reader.position(), 1u);
}

TEST(ByteReader, DoesNotSeekPastTheEnd) {
  const FileSlice slice = slice_of("abc");
  ByteReader reader(slice);
  reader.seek(3);
  EXPECT_EQ(reader.left(), 0u);
  EXPECT_THAT(error_text([&] { reader.seek(4); }), HasSubstr("lies past the end"));
  EXPECT_THAT(error_text([&] { ByteReader(slice, 5); }), HasSubstr("lies past the end"));
}

}  // namespace
}  // namespace samestep
