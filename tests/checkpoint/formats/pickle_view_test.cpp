#include "checkpoint/formats/pickle_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checkpoint/containers/byte_reader.h"
#include "checkpoint/pickle/machine.h"
#include "tests/checkpoint/error_text.h"
#include "tests/checkpoint/foreign.h"

namespace samestep {
namespace {

using foreign::error_text;
using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::string_literals;

/// A view of one hand-written pickle whose root is looked at below "model", 3.
struct Fixture {
  explicit Fixture(const std::string& bytes)
      : file(foreign::slice_of(bytes, "p.pt")),
        pickle(pickle::run_pickle(file)),
        budget(bytes.size()) {}

  FileSlice file;
  pickle::Pickle pickle;
  LeafBudget budget;
  std::vector<std::string> notes;
  std::vector<SourceKey> path = {text_key("model"), index_key(3)};
  PickleView view{pickle.graph, file, nullptr, budget, notes, path};
  pickle::NodeId root() const { return pickle.root; }
};

TEST(PickleView, SaysWhereItLooks) {
  const Fixture f("N.");
  EXPECT_EQ(f.view.where(), "p.pt: model/3");
  EXPECT_THAT(error_text([&] { f.view.fail("is wrong"); }), HasSubstr("p.pt: model/3: is wrong"));
}

TEST(PickleView, IntegersAreTuplesListsAndSizes) {
  for (const std::string& bytes :
       {"K\x02K\x03\x86."s, "](K\x02K\x03"s + "e.", "ctorch\nSize\nK\x02K\x03\x86\x85R."s}) {
    const Fixture f(bytes);
    EXPECT_THAT(f.view.integers(f.root(), "shape"), ElementsAre(2, 3));
  }
}

TEST(PickleView, WrongArgumentsAreNamed) {
  EXPECT_THAT(error_text([] {
                Fixture f("N.");
                f.view.integers(f.root(), "shape");
              }),
              HasSubstr("shape is no tuple"));
  EXPECT_THAT(error_text([] {
                Fixture f("N\x85."s);
                f.view.integers(f.root(), "shape");
              }),
              HasSubstr("shape is no integer"));
  EXPECT_THAT(error_text([] {
                Fixture f("(" + std::string(65, 'N') + "t.");
                f.view.integers(f.root(), "shape");
              }),
              HasSubstr("65 dimensions"));
  EXPECT_THAT(error_text([] {
                Fixture f("\x8a\x09\0\0\0\0\0\0\0\0\x01."s);
                f.view.integer(f.root(), "offset");
              }),
              HasSubstr("offset does not fit 64 bits"));
  EXPECT_THAT(error_text([] {
                Fixture f("N.");
                f.view.text(f.root(), "key");
              }),
              HasSubstr("key is no text"));
  EXPECT_THAT(error_text([] {
                Fixture f("N.");
                f.view.boolean(f.root(), "flag");
              }),
              HasSubstr("flag is neither"));
}

TEST(PickleView, BytesOfTheFileKnowTheirOffset) {
  const Fixture f("C\x03"s + "abc.");
  const auto bytes = f.view.bytes(f.root());
  ASSERT_TRUE(bytes);
  EXPECT_EQ(characters(bytes->bytes), "abc");
  EXPECT_EQ(bytes->offset, 2u);
}

TEST(PickleView, DecodedBytesOutliveTheView) {
  std::optional<FileSlice> bytes;
  {
    const Fixture f("c_codecs\nencode\n\x8c\x03"s + "a\xc3\xbf\x8c\x06latin1\x86R.");
    bytes = f.view.bytes(f.root());
  }
  ASSERT_TRUE(bytes);
  EXPECT_EQ(characters(bytes->bytes), "a\xff");
}

TEST(PickleView, OtherValuesAreNoBytes) {
  for (const std::string& bytes : {"N."s, "\x8c\x01x."s, "cm\nf\nC\x01x\x85R."s,
                                   "c_codecs\nencode\n\x8c\x02\xc4\x80\x85R."s}) {
    const Fixture f(bytes);
    EXPECT_FALSE(f.view.bytes(f.root()));
  }
}

TEST(LeafBudget, GrowsWithThePickleAndRunsOut) {
  LeafBudget small(0), large(100 << 20);
  EXPECT_THAT(error_text([&] { small.charge(100 << 20, "p"); }), HasSubstr("far more values"));
  EXPECT_EQ(error_text([&] { large.charge(100 << 20, "p"); }), "no error");
}

}  // namespace
}  // namespace samestep
