#include "checkpoint/formats/expand_numpy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checkpoint/formats/pickle_leaves.h"
#include "tests/checkpoint/error_text.h"
#include "tests/checkpoint/foreign.h"
#include "tests/checkpoint/leaf_text.h"
#include "tests/checkpoint/torch_writer.h"

namespace samestep {
namespace {

using foreign::call;
using foreign::error_text;
using foreign::global;
using foreign::integer;
using foreign::integers;
using foreign::leaf_lines;
using foreign::text;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using namespace std::string_literals;

std::string dtype(const std::string& code, const std::string& order = "<") {
  return call("numpy", "dtype", text(code) + "\x89\x88") + "(" + integer(3) + text(order) + "NNN" +
         integer(-1) + integer(-1) + integer(0) + "tb";
}

std::string bytes(const std::string& data) { return "B" + foreign::little(data.size(), 4) + data; }

std::string array(const std::string& shape, const std::string& type, const std::string& order,
                  const std::string& data) {
  return call("numpy._core.multiarray", "_reconstruct",
              global("numpy", "ndarray") + integers({0}) + bytes("b")) +
         "(" + integer(1) + shape + type + order + data + "tb";
}

std::string scalar(const std::string& type, const std::string& data) {
  return call("numpy.core.multiarray", "scalar", type + bytes(data));
}

/// numpy.dtype(<class>), with the size of its elements.
std::string dtype_of_class(const std::string& size) {
  return call("numpy", "dtype", global("numpy", "record") + "\x89\x88") + "(" + integer(3) +
         text("|") + "NNN" + size + integer(1) + integer(16) + "tb";
}

struct Case {
  const char* name;
  std::string object;
  std::vector<std::string> lines;
};

const Case kCases[] = {
    {"array", array(integers({2}), dtype("f4"), "\x89", bytes("........")), {"float32[2] 8 bytes"}},
    {"array_of_records",
     array(integers({2}), dtype_of_class(integer(12)), "\x89", bytes(std::string(24, 'r'))),
     {"text[2] 24 bytes"}},
    {"array_protocol2",
     array(integers({2}), dtype("i1"), "\x89",
           call("_codecs", "encode", text("a\xc3\xbf") + text("latin1"))),
     {"int8[2] 2 bytes"}},
    {"array_empty",
     array(integers({0, 2}), dtype("f8"), "\x89", bytes("")),
     {"float64[0,2] 0 bytes"}},
    {"array_text",
     array(integers({1}), dtype("U2"), "\x89", bytes("........")),
     {"text[1] 8 bytes"}},
    {"array_objects",
     array(integers({2}), dtype("O8", "|"), "\x89", "](" + integer(1) + text("x") + "e"),
     {"opaque numpy.ndarray", "0: int 1", "1: str \"x\""}},
    {"frombuffer",
     call("numpy._core.numeric", "_frombuffer",
          bytes("........") + dtype("i4") + integers({2}) + text("C")),
     {"int32[2] 8 bytes"}},
    {"float64", scalar(dtype("f8"), "\0\0\0\0\0\0\xf8\x3f"s), {"float 1.5"}},
    {"float32", scalar(dtype("f4"), "\0\0\x20\x42"s), {"float 40.0"}},
    {"float16", scalar(dtype("f2"), "\x00\xbe"s), {"float -1.5"}},
    {"int64", scalar(dtype("i8"), "\xfc\xff\xff\xff\xff\xff\xff\xff"s), {"int -4"}},
    {"int64_big_endian", scalar(dtype("i8", ">"), "\xff\xff\xff\xff\xff\xff\xff\xfc"s), {"int -4"}},
    {"uint64",
     scalar(dtype("u8"), "\xff\xff\xff\xff\xff\xff\xff\xff"s),
     {"int 18446744073709551615"}},
    {"bool", scalar(dtype("b1", "|"), "\x01"s), {"bool true"}},
    {"text", scalar(dtype("U2"), "q\0\0\0\0\0\0\0"s), {"str \"q\""}},
    {"complex", scalar(dtype("c8"), "........"), {"complex64[] 8 bytes"}},
    {"dtype", dtype("f2"), {"str \"f2\""}},
};

class NumpyValue : public testing::TestWithParam<Case> {};

TEST_P(NumpyValue, HasTheseLeaves) {
  EXPECT_THAT(leaf_lines(read_bare_pickle(foreign::slice_of(GetParam().object + "."))),
              ElementsAreArray(GetParam().lines));
}

INSTANTIATE_TEST_SUITE_P(Cases, NumpyValue, testing::ValuesIn(kCases),
                         [](const auto& test) { return test.param.name; });

TEST(NumpyArray, OfRecordsWithoutASizeStaysClosed) {
  const auto object = array(integers({2}), dtype_of_class(integer(0)), "\x89", "N");
  const auto lines = leaf_lines(read_bare_pickle(foreign::slice_of(object + ".")));
  EXPECT_EQ(lines.front(), "opaque numpy._core.multiarray._reconstruct");
  for (const auto& line : lines) EXPECT_EQ(line.find("[2]"), std::string::npos) << line;
}

TEST(NumpyArray, MustBeAsLongAsItsShape) {
  const auto read = [](const std::string& object) {
    read_bare_pickle(foreign::slice_of(object + ".", "s.pkl"));
  };
  EXPECT_THAT(
      error_text([&] { read(array(integers({3}), dtype("f4"), "\x89", bytes("........"))); }),
      HasSubstr("does not fit its 8 bytes"));
  EXPECT_THAT(error_text([&] { read(scalar(dtype("f8"), "....")); }),
              HasSubstr("another size than its dtype"));
}

TEST(NumpyArray, UnknownElementTypesAreOpaque) {
  const auto lines = leaf_lines(read_bare_pickle(
      foreign::slice_of(array(integers({2}), dtype("x9"), "\x89", bytes("........")) + ".")));
  EXPECT_EQ(lines[0], "opaque numpy._core.multiarray._reconstruct");
}

TEST(NumpyArray, ColumnMajorArraysAreReadInRows) {
  const FileSlice data = foreign::slice_of("\0\1\2\3\4\5"s);
  const Leaf leaf = array_leaf(data, *parse_numpy_dtype("|u1"), {2, 3}, true, "x");
  EXPECT_THAT(foreign::numbers_of<std::uint8_t>(leaf), ElementsAre(0, 2, 4, 1, 3, 5));
}

}  // namespace
}  // namespace samestep
