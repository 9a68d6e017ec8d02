#include "checkpoint/pickle/key_text.h"

#include <gtest/gtest.h>

#include "tests/checkpoint/pickle_text.h"

namespace samestep::pickle {
namespace {

using namespace std::string_literals;

TEST(KeyText, FloatsAsPythonWritesThem) {
  struct Case {
    double value;
    const char* text;
  };
  for (const Case& c : {Case{2.5, "2.5"},
                        {1, "1.0"},
                        {-0.0, "-0.0"},
                        {0.1, "0.1"},
                        {1e16, "1e+16"},
                        {1e15, "1000000000000000.0"},
                        {1e-5, "1e-05"},
                        {0.0001, "0.0001"},
                        {1.5e300, "1.5e+300"},
                        {123456789.125, "123456789.125"}}) {
    EXPECT_EQ(repr_of(c.value), c.text);
  }
}

TEST(KeyText, TextIsQuotedAsPythonQuotesIt) {
  Graph graph;
  EXPECT_EQ(key_text(graph, graph.add_view(Kind::text, "it's")), "\"it's\"");
  EXPECT_EQ(key_text(graph, graph.add_view(Kind::text, "a\"b'c\n\x01\x7f")),
            "'a\"b\\'c\\n\\x01\\x7f'");
  EXPECT_EQ(key_text(graph, graph.add_view(Kind::bytes, "\xff\\")), "b'\\xff\\\\'");
}

TEST(KeyText, TuplesOfOneHaveAComma) {
  EXPECT_EQ(foreign::text_of_pickle("K\x01\x85\x85K\x02\x86."s), "(((1)), 2)");
  const FileSlice slice = foreign::slice_of("K\x01\x85\x8c\x03keyN\x87."s);
  const Pickle pickle = run_pickle(slice);
  EXPECT_EQ(key_text(pickle.graph, pickle.root), "((1,), 'key', None)");
}

TEST(KeyText, BytesAndFrozensetsOfOldProtocolsAreWhatTheyStandFor) {
  const auto key = [](const std::string& bytes) {
    const FileSlice slice = foreign::slice_of(bytes + ".");
    const Pickle pickle = run_pickle(slice);
    return key_text(pickle.graph, pickle.root);
  };
  EXPECT_EQ(key("c_codecs\nencode\n(X\x03\0\0\0a\xc3\xbfX\x06\0\0\0latin1tR"s), "b'a\\xff'");
  EXPECT_EQ(key("c__builtin__\nfrozenset\n(](K\x01K\x02"s + "etR"), "frozenset({1, 2})");
  EXPECT_EQ(key("cos\nfrozenset\n(](K\x01"s + "etR"), "<os.frozenset>");
}

TEST(KeyText, DeepAndLongOnesAreCut) {
  const FileSlice deep = foreign::slice_of("N" + std::string(1000, '\x85') + ".");
  const Pickle pickle = run_pickle(deep);
  EXPECT_LT(key_text(pickle.graph, pickle.root).size(), 100u);
  const FileSlice wide = foreign::slice_of("(" + std::string(100000, 'N') + "t.");
  const Pickle second = run_pickle(wide);
  EXPECT_LT(key_text(second.graph, second.root).size(), 300u);
}

TEST(KeyText, LongIntegersAreToldByTheirLength) {
  Graph graph;
  const std::string bytes(65, '\1');
  EXPECT_EQ(decimal_of(graph, graph.add_view(Kind::big_integer, bytes)), "<int of 65 bytes>");
  EXPECT_EQ(decimal_of(graph, graph.add_view(Kind::big_integer, bytes.substr(0, 9))).size(), 20u);
}

TEST(KeyText, ClassNamesComeFromTheCallee) {
  const auto name = [](const std::string& bytes) {
    const FileSlice slice = foreign::slice_of(bytes);
    const Pickle pickle = run_pickle(slice);
    return class_name_of(pickle.graph, pickle.root);
  };
  EXPECT_EQ(name("cos\nsystem\n)R."s), "os.system");
  EXPECT_EQ(name("cm\nf\n)R)R."s), "m.f");
  EXPECT_EQ(name("(\x8c\x06modulecm\nNet\nNt"s + "Q)R."s), "m.Net");
  EXPECT_EQ(name("K\x01\x85Q."s), "persistent id");
}

}  // namespace
}  // namespace samestep::pickle
