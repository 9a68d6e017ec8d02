#include "checkpoint/pickle/pairs.h"

#include <gtest/gtest.h>

#include "tests/checkpoint/pickle_text.h"

namespace samestep::pickle {
namespace {

using namespace std::string_literals;

/// The entries of a dict pickle as "key=value ...".
std::string entries(const std::string& bytes) {
  const FileSlice slice = foreign::slice_of(bytes);
  const Pickle pickle = run_pickle(slice);
  std::string text;
  for (const Pair& pair : unique_pairs(pickle.graph, pickle.graph.children(pickle.root))) {
    text += key_text(pickle.graph, pair.key) + "=" + key_text(pickle.graph, pair.value) + " ";
  }
  return text;
}

TEST(Pairs, EqualKeysKeepTheFirstPlaceAndTheLastValue) {
  EXPECT_EQ(entries("(\x8c\x01"s + "aK\x01\x8c\x01"s + "bK\x02\x8c\x01"s + "aK\x03"s + "d."s),
            "'a'=3 'b'=2 ");
}

TEST(Pairs, OneTrueAndOnePointZeroAreOneKey) {
  EXPECT_EQ(entries("(K\x01K\x0a\x88K\x0bG\x3f\xf0\0\0\0\0\0\0K\x0c"s + "d."s), "1=12 ");
}

TEST(Pairs, TextBytesAndNumbersAreDifferentKeys) {
  EXPECT_EQ(entries("(\x8c\x01"s + "1N"s + "C\x01"s + "1NK\x01NNN"s + "d."s),
            "'1'=None b'1'=None 1=None None=None ");
}

TEST(Pairs, TuplesAreComparedByWhatTheyHold) {
  EXPECT_EQ(entries("(K\x01K\x02\x86K\x05K\x01K\x02\x86K\x06K\x01K\x03\x86K\x07"s + "d."s),
            "(1, 2)=6 (1, 3)=7 ");
}

TEST(Pairs, AKeyOfManySharedTuplesIsBounded) {
  std::string bomb = "}N\x94"s + "0";  // each tuple holds the one before it eight times
  for (int level = 0; level < 30; ++level) {
    bomb += "(";
    for (int i = 0; i < 8; ++i) bomb += "h"s + static_cast<char>(level);
    bomb += "t\x94"s + "0";
  }
  const FileSlice slice = foreign::slice_of(bomb + "h\x1eNs.");
  const Pickle pickle = run_pickle(slice);
  EXPECT_EQ(unique_pairs(pickle.graph, pickle.graph.children(pickle.root)).size(), 1u);
}

TEST(Pairs, FindsTheLastOfATextKey) {
  const FileSlice slice = foreign::slice_of("(\x8c\x01"s + "aK\x01\x8c\x01"s + "aK\x02"s + "d."s);
  const Pickle pickle = run_pickle(slice);
  const auto flat = pickle.graph.children(pickle.root);
  EXPECT_EQ(pickle.graph.integer(find_pair(pickle.graph, flat, "a")), 2);
  EXPECT_EQ(find_pair(pickle.graph, flat, "b"), kNoNode);
}

}  // namespace
}  // namespace samestep::pickle
