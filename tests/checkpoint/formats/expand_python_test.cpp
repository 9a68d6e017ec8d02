#include "checkpoint/formats/expand_python.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checkpoint/formats/pickle_leaves.h"
#include "tests/checkpoint/foreign.h"
#include "tests/checkpoint/leaf_text.h"

namespace samestep {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using namespace std::string_literals;

struct Case {
  const char* name;
  std::string bytes;
  std::vector<std::string> lines;
};

std::string text(const std::string& value) {
  return "\x8c" + std::string(1, static_cast<char>(value.size())) + value;
}
std::string global(const std::string& module, const std::string& name) {
  return "c" + module + "\n" + name + "\n";
}

const Case kCases[] = {
    {"scalars",
     "(N\x88K\x05G\x3f\xe0\0\0\0\0\0\0"s + text("t") + "C\x02xyt.",
     {"0: none None", "1: bool true", "2: int 5", "3: float 0.5", "4: str \"t\"",
      "5: bytes 2 bytes"}},
    {"big_integer", "\x8a\x09\0\0\0\0\0\0\0\0\x01."s, {"int 18446744073709551616"}},
    {"dict_keys",
     "(" + text("a") +
         "K\x01K\x07K\x02NK\x03\x88K\x04G\x40\x04\0\0\0\0\0\0K\x05K\x01K\x02\x86K\x06"s + "d.",
     {"a: int 1", "7: int 2", "<None>: int 3", "<True>: int 4", "<2.5>: int 5", "<(1, 2)>: int 6"}},
    {"empty_containers", "(]}\x8f)t."s, {}},
    {"nested", "(](K\x01K\x02"s + "el.", {"0/0: int 1", "0/1: int 2"}},
    {"set", "\x8f(K\x01\x90."s, {"0: int 1"}},
    {"set_by_call",
     global("builtins", "set") + "](K\x01K\x02"s + "e\x85R.",
     {"0: int 1", "1: int 2"}},
    {"set_by_call_python2",
     global("__builtin__", "frozenset") + "](K\x01"s + "e\x85R.",
     {"0: int 1"}},
    {"ordered_dict",
     global("collections", "OrderedDict") + ")R" + text("k") + "K\x01s.",
     {"k: int 1"}},
    {"ordered_dict_pairs",
     global("collections", "OrderedDict") + "](](" + text("k") + "K\x01"s + "ee\x85R.",
     {"k: int 1"}},
    {"ordered_dict_metadata",
     global("collections", "OrderedDict") + ")R" + text("k") + "K\x01s}(" + text("_metadata") +
         "K\x05" + text("other") + "K\x06ub.",
     {"k: int 1", ".other: int 6"}},
    {"default_dict",
     global("collections", "defaultdict") + global("builtins", "list") + "\x85R" + text("k") +
         "K\x01s.",
     {"k: int 1"}},
    {"default_dict_foreign",
     global("collections", "defaultdict") + global("os", "abort") + "\x85R.",
     {".default_factory: opaque os.abort"}},
    {"counter", global("collections", "Counter") + "}" + text("a") + "K\x02s\x85R.", {"a: int 2"}},
    {"deque",
     global("collections", "deque") + ")K\x05\x86R(K\x01K\x02"s + "e.",
     {"0: int 1", "1: int 2"}},
    {"deque_list", global("collections", "deque") + "](K\x01"s + "eK\x05\x86R.", {"0: int 1"}},
    {"complex",
     global("builtins", "complex") + "G\x3f\xf0\0\0\0\0\0\0K\x02\x86R."s,
     {"numbers [1.0, 2.0]"}},
    {"int_by_call",
     global("__builtin__", "long") + "K\x07\x85R."s,
     {"opaque __builtin__.long", "0: int 7"}},
    {"bytes_latin1",
     global("_codecs", "encode") + text("a\xc3\xbf") + text("latin1") + "\x86R.",
     {"bytes 2 bytes"}},
    {"bytearray", global("builtins", "bytearray") + "C\x03"s + "abc\x85R.", {"bytes 3 bytes"}},
    {"bytearray_protocol2",
     global("__builtin__", "bytearray") + text("abc") + text("latin-1") + "\x86R.",
     {"bytes 3 bytes"}},
    {"bytes_empty", global("__builtin__", "bytes") + ")R.", {"bytes 0 bytes"}},
    {"random",
     global("random", "Random") + ")R(K\x03(K\x01K\x02tNtb."s,
     {"opaque random.Random", ".version: int 3", ".state/0: int 1", ".state/1: int 2",
      ".gauss_next: none None"}},
    {"opaque_call",
     global("os", "system") + text("ls") + "\x85R.",
     {"opaque os.system", "0: str \"ls\""}},
    {"opaque_global", global("os", "system") + ".", {"opaque os.system"}},
    {"object_state",
     global("m", "C") + ")\x81}" + text("a") + "K\x01sb.",
     {"opaque m.C", ".a: int 1"}},
    {"object_slots",
     global("m", "C") + ")\x81N}" + text("p") + "K\x01s\x86"s + "b.",
     {"opaque m.C", ".p: int 1"}},
    {"object_other_state",
     global("m", "C") + ")\x81K\x05"s + "b.",
     {"opaque m.C", ".__state__: int 5"}},
    {"object_items",
     global("m", "L") + ")\x81(K\x01K\x02"s + "e.",
     {"opaque m.L", "0: int 1", "1: int 2"}},
    {"object_pairs",
     global("m", "D") + ")\x81" + text("k") + "K\x01s.",
     {"opaque m.D", "k: int 1"}},
    {"object_kwargs",
     global("m", "C") + ")}" + text("k") + "K\x01s\x92.",
     {"opaque m.C", ".k: int 1"}},
    {"reconstructor",
     global("copy_reg", "_reconstructor") + global("m", "Old") + global("__builtin__", "object") +
         "N\x87R}" + text("a") + "K\x01sb.",
     {"opaque m.Old", ".a: int 1"}},
    {"reconstructed_dict",
     global("copyreg", "_reconstructor") + global("m", "D") + global("builtins", "dict") + "}" +
         text("a") + "K\x01s\x87R.",
     {"opaque m.D", "a: int 1"}},
    {"reconstructed_list",
     global("copyreg", "_reconstructor") + global("m", "L") + global("builtins", "list") +
         "](K\x01K\x02" + "e\x87R.",
     {"opaque m.L", "0: int 1", "1: int 2"}},
    {"objects_as_keys_are_numbered",
     "}(" + global("m", "P") + ")RK\x01" + global("m", "P") + ")RK\x02u.",
     {"<<m.P>>: int 1", "<<m.P>#2>: int 2"}},
    {"call_of_a_call", global("m", "f") + ")R)R.", {"opaque m.f", ".__call__: opaque m.f"}},
    {"persid", "Pevil\n."s, {"opaque persistent id", "0: str \"evil\""}},
};

class PythonValue : public testing::TestWithParam<Case> {};

TEST_P(PythonValue, HasTheseLeaves) {
  const FileSlice file = foreign::slice_of(GetParam().bytes);
  EXPECT_THAT(foreign::leaf_lines(read_bare_pickle(file)), ElementsAreArray(GetParam().lines));
}

INSTANTIATE_TEST_SUITE_P(Cases, PythonValue, testing::ValuesIn(kCases),
                         [](const auto& test) { return test.param.name; });

std::vector<std::string> lines_of_list(std::size_t count, const std::string& element,
                                       const std::string& last) {
  std::string bytes = "(";
  for (std::size_t i = 0; i + 1 < count; ++i) bytes += element;
  return foreign::leaf_lines(read_bare_pickle(foreign::slice_of(bytes + last + "l.")));
}

TEST(PackedNumbers, BeginAt65OfOneKind) {
  const std::string one = "K\x01", real("G\x3f\xe0\0\0\0\0\0\0", 9);
  EXPECT_EQ(lines_of_list(64, one, one).size(), 64u);
  EXPECT_THAT(lines_of_list(65, one, one), ElementsAre("numbers 65 numbers"));
  EXPECT_THAT(lines_of_list(65, real, real), ElementsAre("numbers 65 numbers"));
  EXPECT_EQ(lines_of_list(65, one, real).size(), 65u);
  EXPECT_EQ(lines_of_list(65, one, "\x88").size(), 65u);
  EXPECT_EQ(lines_of_list(65, "\x88", "\x88").size(), 65u);
}

TEST(PackedNumbers, KeepsIntegersBeyond64BitsApart) {
  EXPECT_EQ(lines_of_list(65, "K\x01", std::string("\x8a\x09\0\0\0\0\0\0\0\0\x01", 11)).size(),
            65u);
}

TEST(DuplicateKeys, AreNoted) {
  const Document document =
      read_bare_pickle(foreign::slice_of("}(" + text("a") + "K\x01" + text("a") + "K\x02u."));
  EXPECT_THAT(foreign::leaf_lines(document), ElementsAre("a: int 2"));
  EXPECT_THAT(document.notes, ElementsAre(testing::HasSubstr("1 keys occur twice")));
}

}  // namespace
}  // namespace samestep
