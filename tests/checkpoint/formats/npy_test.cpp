#include "checkpoint/formats/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/checkpoint/error_text.h"
#include "tests/checkpoint/foreign.h"
#include "tests/checkpoint/leaf_text.h"
#include "tests/checkpoint/zip_writer.h"

namespace samestep {
namespace {

using foreign::error_text;
using foreign::leaf_lines;
using foreign::little;
using foreign::numbers_of;
using foreign::slice_of;
using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::string_literals;

std::string npy(const std::string& descr, bool is_fortran, const std::string& shape,
                const std::string& data) {
  const std::string literal = "{'descr': '" + descr +
                              "', 'fortran_order': " + (is_fortran ? "True" : "False") +
                              ", 'shape': " + shape + "}";
  return "\x93NUMPY\x01" + little(0, 1) + little(literal.size(), 2) + literal + data;
}

const std::string kSixShorts = "\0\0\1\0\2\0\3\0\4\0\5\0"s;

TEST(Npy, ReadsBothOrdersAndBothEndians) {
  const auto numbers = [](const std::string& file) {
    return numbers_of<std::int16_t>(read_npy(slice_of(file)).leaves[0]);
  };
  EXPECT_THAT(numbers(npy("<i2", false, "(2, 3)", kSixShorts)), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(numbers(npy("<i2", true, "(2, 3)", kSixShorts)), ElementsAre(0, 2, 4, 1, 3, 5));
  EXPECT_THAT(numbers(npy(">i2", false, "(6,)", kSixShorts)),
              ElementsAre(0, 256, 512, 768, 1024, 1280));
}

TEST(Npy, DataAreAsLongAsTheHeaderSays) {
  EXPECT_THAT(error_text([] { read_npy(slice_of(npy("<i2", false, "(7,)", kSixShorts))); }),
              HasSubstr("does not fit its 12 bytes"));
  EXPECT_THAT(error_text([] {
                read_npy(slice_of(npy("<i2", false, "(9223372036854775807, 4)", kSixShorts)));
              }),
              HasSubstr("does not fit"));
}

TEST(Npy, ObjectArraysAreWalkedAndNotRun) {
  const std::string file = npy("|O", false, "(1,)", "\x80\x04](cos\nsystem\n\x8c\x02ls\x85Re.");
  EXPECT_THAT(leaf_lines(read_npy(slice_of(file))),
              ElementsAre("0: opaque os.system", "0/0: str \"ls\""));
}

Document read(const std::vector<foreign::ZipRecord>& records) {
  return read_npz(ZipArchive::open(slice_of(foreign::zip_of(records), "a.npz")));
}

TEST(Npz, ReadsStoredAndCompressedRecords) {
  const std::string plain = npy("<i2", false, "(2, 3)", kSixShorts),
                    fortran = npy("<i2", true, "(2, 3)", kSixShorts);
  const Document document =
      read({foreign::stored_record("w.npy", plain), foreign::deflated_record("x.npy", plain),
            foreign::deflated_record("y.npy", fortran)});
  EXPECT_THAT(leaf_lines(document), ElementsAre("w: int16[2,3] 12 bytes", "x: int16[2,3] 12 bytes",
                                                "y: int16[2,3] 12 bytes"));
  EXPECT_THAT(numbers_of<std::int16_t>(document.leaves[1]), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(numbers_of<std::int16_t>(document.leaves[2]), ElementsAre(0, 2, 4, 1, 3, 5));
}

TEST(Npz, LongCompressedRecordsStayCompressed) {
  const std::string data(1 << 22, 'x');
  const Document document =
      read({foreign::deflated_record("w.npy", npy("|u1", false, "(4194304,)", data))});
  EXPECT_EQ(foreign::bytes_text(document.leaves[0]), data);
  EXPECT_TRUE(document.leaves[0].bytes->contiguous().empty());
}

TEST(Npz, WhatMustBeInflatedAtOnceIsBoundedOverAllRecords) {
  const std::string big = npy(">i2", false, "(41943040,)", std::string(80 << 20, '\0'));
  const auto two = [&] {
    read({foreign::deflated_record("a.npy", big), foreign::deflated_record("b.npy", big)});
  };
  EXPECT_THAT(error_text(two), HasSubstr("record 'b.npy' is compressed and inflates to"));
}

TEST(Npz, ARecordMustBeAnArrayOfItsSize) {
  EXPECT_THAT(error_text([] { read({foreign::stored_record("w.npy", "hello")}); }),
              HasSubstr("record 'w.npy' is no array"));
  EXPECT_THAT(error_text([] {
                read({foreign::deflated_record("w.npy", npy("<i2", false, "(7,)", kSixShorts))});
              }),
              HasSubstr("does not fit"));
}

TEST(Npz, IsKnownByItsRecords) {
  const auto is = [](const std::vector<foreign::ZipRecord>& records) {
    return is_npz(ZipArchive::open(slice_of(foreign::zip_of(records))));
  };
  EXPECT_TRUE(is({foreign::stored_record("w.npy", "")}));
  EXPECT_FALSE(is({foreign::stored_record("w.npy", ""), foreign::stored_record("a/data.pkl", "")}));
  EXPECT_FALSE(is({}));
  EXPECT_TRUE(is_npy(slice_of("\x93NUMPY").bytes));
  EXPECT_FALSE(is_npy(slice_of("\x93NUMP").bytes));
}

}  // namespace
}  // namespace samestep
