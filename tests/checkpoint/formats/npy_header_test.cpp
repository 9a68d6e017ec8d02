#include "checkpoint/formats/npy_header.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/checkpoint/error_text.h"
#include "tests/checkpoint/foreign.h"
#include "tests/checkpoint/zip_writer.h"

namespace samestep {
namespace {

using foreign::error_text;
using foreign::little;
using testing::ElementsAre;
using testing::HasSubstr;

NpyHeader read(const std::string& literal, int version = 1) {
  const std::string file = "\x93NUMPY" + little(static_cast<std::uint64_t>(version), 1) +
                           little(0, 1) + little(literal.size(), version == 1 ? 2 : 4) + literal;
  return read_npy_header(foreign::slice_of(file, "x.npy"));
}

TEST(NpyHeader, ReadsWhatNumPyWrites) {
  const NpyHeader header =
      read("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }          \n");
  EXPECT_EQ(header.type.dtype, Dtype::float64);
  EXPECT_TRUE(header.is_fortran);
  EXPECT_THAT(header.shape, ElementsAre(2, 3));
  EXPECT_EQ(header.bytes, 10u + 69);
}

TEST(NpyHeader, ReadsScalarsOneDimensionAndOldLongs) {
  EXPECT_TRUE(read("{'descr': '<i8', 'fortran_order': False, 'shape': ()}").shape.empty());
  EXPECT_THAT(read("{'descr': '<i8', 'fortran_order': False, 'shape': (4,), }").shape,
              ElementsAre(4));
  EXPECT_THAT(read("{'descr': '<i8', 'fortran_order': False, 'shape': (4L, 5L), }").shape,
              ElementsAre(4, 5));
}

TEST(NpyHeader, VersionsTwoAndThreeHaveLongerLengths) {
  EXPECT_THAT(read("{'descr': '<i8', 'fortran_order': False, 'shape': (4,), }", 2).shape,
              ElementsAre(4));
  EXPECT_THAT(read("{'descr': '<i8', 'fortran_order': False, 'shape': (4,), }", 3).shape,
              ElementsAre(4));
  EXPECT_THAT(error_text([] { read("{}", 4); }), HasSubstr("version 4"));
}

TEST(NpyHeader, StructuredElementsAreRawBytes) {
  const auto type = [](const std::string& descr) {
    return read("{'descr': " + descr + ", 'fortran_order': False, 'shape': (4,), }").type;
  };
  EXPECT_EQ(type("[('a', '<i4'), ('b', '<f8')]").item_bytes, 12u);
  EXPECT_EQ(type("[('a', '<i4', (2, 3))]").item_bytes, 24u);
  EXPECT_EQ(type("[(('title', 'a'), '<i4'), ('b', [('c', '<U2')])]").item_bytes, 12u);
  EXPECT_TRUE(type("[('a', '|O')]").is_object);
}

TEST(NpyHeader, RefusesAnythingElse) {
  const std::string deep = std::string(20, '[');
  for (const std::string& literal :
       {std::string(), std::string("{"), std::string("{'descr': '<f8'}"),
        std::string("{'descr': 'x9', 'fortran_order': False, 'shape': ()}"),
        std::string("{'descr': '<f8', 'fortran_order': 1, 'shape': ()}"),
        std::string("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}"),
        std::string("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,)}"),
        std::string("{'descr': '<f8', 'fortran_order': False, 'shape': (), 'more': 1}"),
        std::string("{'descr': '<f8', 'fortran_order': False, 'shape': ()} x"), "{'descr': " + deep,
        std::string("{'descr': __import__('os'), 'fortran_order': False, 'shape': ()}")}) {
    EXPECT_THAT(error_text([&] { read(literal); }), HasSubstr("x.npy, byte")) << literal;
  }
  EXPECT_THAT(error_text([] { read_npy_header(foreign::slice_of("\x93NUMPY\x01")); }),
              HasSubstr("needs"));
}

TEST(NpyHeader, IsNoLongerThanItsLimit) {
  EXPECT_THAT(error_text([] { read(std::string(70000, ' '), 2); }),
              HasSubstr("longer than 65536 bytes"));
}

}  // namespace
}  // namespace samestep
