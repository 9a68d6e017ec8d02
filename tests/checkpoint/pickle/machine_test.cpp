#include "checkpoint/pickle/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/checkpoint/error_text.h"
#include "tests/checkpoint/pickle_text.h"
#include "tests/checkpoint/zip_writer.h"

namespace samestep {
namespace {

using foreign::error_text;
using foreign::little;
using foreign::slice_of;
using foreign::text_of_pickle;
using testing::HasSubstr;
using namespace std::string_literals;

struct Good {
  const char* name;
  std::string bytes;
  const char* text;
};

const Good kGood[] = {
    {"none", "N."s, "None"},
    {"bool", "\x80\x02\x88\x89\x86."s, "(True, False)"},
    {"bool_text", "(I01\nI00\nl."s, "[True, False]"},
    {"binint", "J\xff\xff\xff\xff."s, "-1"},
    {"binint1", "K\xff."s, "255"},
    {"binint2", "M\xff\xff."s, "65535"},
    {"int_text", "I-12\n."s, "-12"},
    {"long_text", "L123456789012345678901234567890L\n."s, "123456789012345678901234567890"},
    {"long1_empty", "\x8a\x00."s, "0"},
    {"long1", "\x8a\x01\x80."s, "-128"},
    {"long1_padded", "\x8a\x0a\x01\0\0\0\0\0\0\0\0\0."s, "1"},
    {"long1_uint64", "\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\x00."s, "18446744073709551615"},
    {"long4", "\x8b\x02\0\0\0\x00\x01."s, "256"},
    {"binfloat", "G\x3f\xb9\x99\x99\x99\x99\x99\x9a."s, "0.1"},
    {"float_text", "F1.5e3\n."s, "1500.0"},
    {"float_nan", "Fnan\n."s, "nan"},
    {"string", "S'a\\n\\x41\\''\n."s, "\"a\\nA'\""},
    {"string_bytes", "U\x01\xff."s, "b'\\xff'"},
    {"binstring", "T\x02\0\0\0hi."s, "'hi'"},
    {"unicode", "V\\u0041\\U00000042c\n."s, "'ABc'"},
    {"binunicode", "X\x02\0\0\0hi."s, "'hi'"},
    {"binunicode8", "\x8d\x02\0\0\0\0\0\0\0hi."s, "'hi'"},
    {"short_binunicode", "\x8c\x02hi."s, "'hi'"},
    {"surrogate", "\x8c\x03\xed\xa0\x80."s, "'\xed\xa0\x80'"},
    {"binbytes", "B\x02\0\0\0hi."s, "b'hi'"},
    {"short_binbytes", "C\x02hi."s, "b'hi'"},
    {"binbytes8", "\x8e\x02\0\0\0\0\0\0\0hi."s, "b'hi'"},
    {"bytearray8", "\x96\x02\0\0\0\0\0\0\0hi."s, "bytearray hi"},
    {"list_marked", "(K\x01K\x02l."s, "[1, 2]"},
    {"appends", "](K\x01K\x02"s + "eK\x03"s + "a."s, "[1, 2, 3]"},
    {"dict_marked", "(K\x01K\x02"s + "d."s, "{1: 2}"},
    {"setitems", "}(K\x01K\x02uK\x03K\x04s."s, "{1: 2, 3: 4}"},
    {"tuples", ")\x85\x8cK\x01K\x02\x86"s.substr(0, 2) + "K\x01\x86."s, "((()), 1)"},
    {"tuple3", "K\x01K\x02K\x03\x87."s, "(1, 2, 3)"},
    {"tuple_marked", "(K\x01K\x02t."s, "(1, 2)"},
    {"sets", "\x8f(K\x01K\x02\x90(K\x03\x91\x86."s, "(set{1, 2}, frozenset{3})"},
    {"pop", "K\x01K\x02"s + "0."s, "1"},
    {"pop_mark", "K\x01(K\x02K\x03"s + "1."s, "1"},
    {"pop_of_mark", "K\x01("s + "0."s, "1"},
    {"dup", "K\x01"s + "2\x86."s, "(1, 1)"},
    {"memo", "K\x07q\x00"s + "0h\x00."s, "7"},
    {"memo_long", "K\x07r\xff\xff\xff\xff"s + "0j\xff\xff\xff\xff."s, "7"},
    {"memo_text", "K\x07p12\n0g12\n."s, "7"},
    {"memoize", "K\x07\x94K\x08\x94"s + "00h\x01."s, "8"},
    {"list_in_itself", "]q\x00h\x00"s + "a."s, "[[[[[[[...]]]]]]]"},
    {"global", "cmod\nname\n."s, "<mod.name>"},
    {"stack_global", "\x8c\x01m\x8c\x01n\x93."s, "<m.n>"},
    {"reduce", "cm\nf\nK\x01\x85R."s, "<m.f>(1)"},
    {"newobj", "cm\nC\n)\x81."s, "<m.C>()"},
    {"newobj_ex", "cm\nC\n)}\x92."s, "<m.C>()**{}"},
    {"build", "cm\nC\n)\x81}K\x01K\x02sb."s, "<m.C>()!{1: 2}"},
    {"build_of_class", "cm\nC\nNb."s, "<m.C>()!None"},
    {"object_items", "cm\nC\n)R(K\x01"s + "eK\x02K\x03s."s, "<m.C>()[1]{2: 3}"},
    {"inst", "(K\x01im\nC\n."s, "<m.C>(1)"},
    {"obj", "(cm\nC\nK\x01o."s, "<m.C>(1)"},
    {"binpersid", "K\x01\x85Q."s, "persistent(1)"},
    {"persid", "Pxyz\n."s, "persistent'xyz'"},
    {"ext1", "\x82\x07."s, "<copyreg.extension_7>"},
    {"ext2", "\x83\x07\x01."s, "<copyreg.extension_263>"},
    {"ext4", "\x84\x07\0\0\0."s, "<copyreg.extension_7>"},
    {"frame", "\x80\x04\x95\x02\0\0\0\0\0\0\0N."s, "None"},
};

class GoodPickle : public testing::TestWithParam<Good> {};

TEST_P(GoodPickle, BuildsWhatItSays) {
  EXPECT_EQ(text_of_pickle(GetParam().bytes), GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(Cases, GoodPickle, testing::ValuesIn(kGood),
                         [](const auto& test) { return test.param.name; });

struct Bad {
  const char* name;
  std::string bytes;
  const char* message;
};

const Bad kBad[] = {
    {"empty", ""s, "p, byte 0: the pickle ends without STOP"},
    {"no_stop", "N"s, "p, byte 1: the pickle ends without STOP"},
    {"nothing_at_stop", "."s, "byte 0: pickle opcode STOP: the stack is empty"},
    {"stop_above_mark", "N(."s, "stack underflow"},
    {"unknown", "N\xff."s, "byte 1: pickle opcode byte 255: this byte is no opcode"},
    {"pop_empty", "0."s, "pickle opcode POP: the stack is empty"},
    {"dup_empty", "2."s, "pickle opcode DUP"},
    {"tuple_without_mark", "Nt."s, "pickle opcode TUPLE: there is no MARK"},
    {"pop_below_mark", "N(\x85."s, "pickle opcode TUPLE1: the stack is empty"},
    {"get_unset", "h\x07."s, "memo entry 7 was never set"},
    {"get_no_number", "gx\n."s, "the memo number is none"},
    {"get_huge", "g99999999999999999999999\n."s, "the memo number is none"},
    {"append_to_int", "K\x01K\x02"s + "a."s,
     "pickle opcode APPEND: the value below takes no items"},
    {"append_to_set", "\x8fK\x02"s + "a."s, "takes no items"},
    {"add_to_list", "](K\x01\x90."s, "takes no items"},
    {"set_on_list", "]K\x01K\x02s."s, "takes no keys"},
    {"setitems_odd", "}(K\x01u."s, "a key has no value"},
    {"list_as_key", "}]Ns."s, "unhashable"},
    {"list_in_key", "}]\x85Ns."s, "unhashable"},
    {"reduce_without_tuple", "cm\nf\nNR."s, "the arguments are not a tuple"},
    {"kwargs_no_dict", "cm\nC\n)N\x92."s, "the keyword arguments are not a dict"},
    {"obj_empty", "(o."s, "there is no class"},
    {"build_on_int", "K\x01Nb."s, "takes no state"},
    {"stack_global_no_text", "NN\x93."s, "the name is not a string"},
    {"line_cut", "cmod"s, "GLOBAL has no end of line"},
    {"string_cut", "X\x05\0\0\0ab"s, "BINUNICODE needs 5 bytes, 2 are left"},
    {"string_huge", "\x8d\xff\xff\xff\xff\xff\xff\xff\xff"s, "needs 18446744073709551615 bytes"},
    {"string_negative", "T\xff\xff\xff\xff."s, "BINSTRING: the length is negative"},
    {"long4_negative", "\x8b\xff\xff\xff\xff."s, "LONG4: the length is negative"},
    {"long4_huge", "\x8b\xff\xff\xff\x7f\x01."s, "needs 2147483647 bytes"},
    {"bad_utf8", "\x8c\x01\xff."s, "the string is not UTF-8"},
    {"bad_quotes", "S'a\n."s, "not quoted or escaped"},
    {"bad_escape", "V\\u12\n."s, "bad escape"},
    {"bad_int", "I12x\n."s, "the text is no integer"},
    {"bad_float", "Fx\n."s, "the text is no number"},
    {"many_digits", "I" + std::string(4301, '1') + "\n.", "4301 digits"},
    {"protocol", "\x80\x06N."s, "protocol 6 is not known"},
    {"frame_long", "\x95\x10\0\0\0\0\0\0\0N."s, "the frame is longer than the data"},
    {"buffer", "\x97."s, "out-of-band buffers"},
    {"readonly_buffer", "N\x98."s, "out-of-band buffers"},
};

class BadPickle : public testing::TestWithParam<Bad> {};

TEST_P(BadPickle, SaysOpcodeAndOffset) {
  EXPECT_THAT(error_text([] { text_of_pickle(GetParam().bytes); }), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(Cases, BadPickle, testing::ValuesIn(kBad),
                         [](const auto& test) { return test.param.name; });

TEST(Machine, ReadsOnePickleOfSeveral) {
  const FileSlice slice = slice_of("K\x01.\x80\x02K\x02."s);
  const pickle::Pickle first = pickle::run_pickle(slice);
  EXPECT_EQ(first.end, 3u);
  const pickle::Pickle second = pickle::run_pickle(slice, first.end);
  EXPECT_EQ(second.end, slice.bytes.size());
  EXPECT_EQ(second.protocol, 2);
  EXPECT_EQ(second.graph.integer(second.root), 2);
}

TEST(Machine, BoundsItsMemory) {
  const FileSlice slice = slice_of("(" + std::string(100000, ']') + "l.");
  pickle::Limits limits;
  limits.memory_bytes = 1 << 20;
  EXPECT_THAT(error_text([&] { pickle::run_pickle(slice, 0, limits); }),
              HasSubstr("needs more than 1 MiB"));
}

TEST(Machine, DeepAndCyclicValuesComeApartWithoutRecursion) {
  const std::string deep = std::string(500000, ']') + std::string(499999, 'a') + ".";
  const FileSlice slice = slice_of(deep);
  const pickle::Pickle pickle = pickle::run_pickle(slice);
  EXPECT_EQ(pickle.graph.children(pickle.root).size(), 1u);
}

TEST(Machine, KnowsBinaryPicklesByTheirEnds) {
  const auto looks = [](const std::string& text) {
    return pickle::looks_like_pickle(slice_of(text).bytes);
  };
  EXPECT_TRUE(looks("\x80\x04N."));
  EXPECT_FALSE(looks("\x80\x04N"));
  EXPECT_FALSE(looks("\x80\x09N."));
  EXPECT_FALSE(looks("N."));
  EXPECT_FALSE(looks(""));
}

}  // namespace
}  // namespace samestep
