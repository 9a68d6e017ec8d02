#include "checkpoint/formats/pickle_leaves.h"

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
using foreign::slice_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::string_literals;

Document read(const std::string& bytes) { return read_bare_pickle(slice_of(bytes, "p.pkl")); }

TEST(PickleLeaves, SharedValuesGiveTheirLeavesTwice) {
  EXPECT_THAT(leaf_lines(read("(](K\x01"s + "eq\x00h\x00t."s)),
              ElementsAre("0/0: int 1", "1/0: int 1"));
}

TEST(PickleLeaves, AValueThatHoldsItselfIsABackReference) {
  EXPECT_THAT(leaf_lines(read("]q\x00(K\x01h\x00"s + "e.")),
              ElementsAre("0: int 1", "1: opaque back reference"));
  EXPECT_THAT(leaf_lines(read("}q\x00\x8c\x04selfh\x00s."s)),
              ElementsAre("self: opaque back reference"));
  EXPECT_THAT(leaf_lines(read("]q\x00h\x00\x85"s + "a.")),
              ElementsAre("0/0: opaque back reference"));
  EXPECT_THAT(leaf_lines(read("cm\nC\n)Rq\x00}\x8c\x02meh\x00sb."s)),
              ElementsAre("opaque m.C", ".me: opaque back reference"));
}

TEST(PickleLeaves, AWrapperAroundItselfIsABackReference) {
  // torch.jit._pickle.build_intlist([...]) whose argument is an object that has itself as its only
  // state
  const std::string bytes = "ctorch.jit._pickle\nrestore_type_tag\ncm\nC\n)R\x85Rq\x00."s;
  EXPECT_THAT(leaf_lines(read(bytes)), ElementsAre("opaque m.C"));
}

TEST(PickleLeaves, DepthIsLimited) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, ']') + std::string(depth - 1, 'a') + ".";
  };
  EXPECT_THAT(leaf_lines(read(nested(900))), IsEmpty());
  EXPECT_THAT(error_text([&] { read(nested(1100)); }), HasSubstr("nested more than 1000 deep"));
  EXPECT_THAT(error_text([&] { read(nested(300000)); }), HasSubstr("nested more than 1000 deep"));
}

TEST(PickleLeaves, ABombOfSharedListsIsRefused) {
  std::string bomb = "](K\x01K\x01"s + "e\x94";
  for (int level = 0; level < 40; ++level)
    bomb += "](h"s + static_cast<char>(level) + "h" + static_cast<char>(level) + "e\x94";
  EXPECT_THAT(error_text([&] { read(bomb + "."); }), HasSubstr("far more values than it holds"));
}

TEST(PickleLeaves, ALongTextThatIsSharedOftenIsRefused) {
  std::string bytes = "(B\x00\x00\x10\x00"s + std::string(1 << 20, 'x') + "\x94";
  for (int i = 0; i < 200; ++i) bytes += "h\x00"s;
  EXPECT_THAT(error_text([&] { read(bytes + "l."); }), HasSubstr("far more values than it holds"));
}

TEST(PickleLeaves, SharedKeysAndStatesAreCounted) {
  // One dict of 1000 keys as the state of 10000 objects that hold no attribute of that name.
  std::string keys = "}(";
  for (int i = 0; i < 1000; ++i) keys += "J" + foreign::little(i, 4) + "N";
  std::string bytes = "(" + keys + "uq\0"s + "ccollections\nOrderedDict\nq\1"s;
  for (int i = 0; i < 10000; ++i) bytes += "h\1)Rh\0b"s;
  EXPECT_THAT(error_text([&] { read(bytes + "l."); }), HasSubstr("far more values than it holds"));
}

TEST(PickleLeaves, LongIntegersThatAreSharedOftenAreRefused) {
  std::string bytes = "(\x8b\x00\x10\0\0"s + std::string(4096, '\1') + "q\0"s;
  for (int i = 0; i < 2000; ++i) bytes += "h\0"s;
  EXPECT_THAT(error_text([&] { read(bytes + "l."); }), HasSubstr("far more values than it holds"));
}

TEST(PickleLeaves, PickledBytesAreOpenedUnderTheSameKeys) {
  const std::string inner = "\x80\x04}\x8c\x05"s + "epochK\x03s.";
  const std::string bytes = "}\x8c\x02"s + "dlC" + static_cast<char>(inner.size()) + inner + "s.";
  EXPECT_THAT(leaf_lines(read(bytes)), ElementsAre("dl: bytes 14 bytes", "dl/epoch: int 3"));
}

TEST(PickleLeaves, PickledBytesAreOpenedALittleDeep) {
  std::string bytes = "\x80\x04}\x8c\x01xK\x01s."s;
  for (int i = 0; i < 8; ++i)
    bytes = "\x80\x04}\x8c\x01xB"s + static_cast<char>(bytes.size()) + "\0\0\0"s + bytes + "s.";
  EXPECT_EQ(read(bytes).leaves.size(), 5u);
}

TEST(PickleLeaves, BytesThatOnlyLookLikeAPickleStayBytes) {
  const Document document = read("C\x05\x80\x04\xff\xff..");
  EXPECT_THAT(leaf_lines(document), ElementsAre("bytes 5 bytes"));
  EXPECT_THAT(document.notes, testing::Contains(HasSubstr("looks like a pickle but is none")));
}

TEST(PickleLeaves, AnInnerPickleThatEndsEarlyStaysBytes) {
  EXPECT_THAT(leaf_lines(read("C\x06\x80\x04].x.."s)), ElementsAre("bytes 6 bytes"));
}

TEST(PickleLeaves, WhatFollowsThePickleIsNotedUnlessItIsOneValueOnly) {
  EXPECT_THAT(read("].xx").notes, ElementsAre("2 bytes follow the pickle"));
  EXPECT_THAT(error_text([] { read("K\x01.xx"); }), HasSubstr("no checkpoint"));
}

TEST(PickleLeaves, TensorsNeedTheirStorages) {
  const std::string tensor =
      "ctorch._utils\n_rebuild_tensor_v2\n((\x8c\x07storagectorch\nFloatStorage\n\x8c\x01"s +
      "0\x8c\x03" + "cpuK\x06tQK\x00(K\x02K\x03t(K\x03K\x01t\x89Nt"s + "R.";
  EXPECT_THAT(error_text([&] { read(tensor); }), HasSubstr("lies in another file"));
}

}  // namespace
}  // namespace samestep
