#include "checkpoint/formats/dcp.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "../sample_copy.h"
#include "schemas/error.h"

namespace samestep {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;

Document read(const std::filesystem::path& path) { return read_dcp(Folder(path), ""); }

auto says(Problem::Kind kind, const std::string& where, const std::string& message) {
  return testing::AllOf(Field(&Problem::kind, kind), Field(&Problem::where, HasSubstr(where)),
                        Field(&Problem::message, HasSubstr(message)));
}

TEST(Dcp, KnowsItsFolder) {
  EXPECT_TRUE(is_dcp(Folder(foreign::sample("handed/dcp-single-rank")), ""));
  EXPECT_TRUE(is_dcp(Folder(foreign::sample("handed/megatron-torch-dist-1rank")), "iter_0000005"));
  EXPECT_TRUE(is_dcp(Folder(foreign::sample("hostile/dcp-no-metadata")), ""));
  EXPECT_FALSE(is_dcp(Folder(foreign::sample("handed/hf-trainer-v5")), ""));
}

TEST(Dcp, OpensObjectsUnderTheirNesting) {
  const Document document = read(foreign::sample("handed/dcp-single-rank"));
  EXPECT_EQ(document.format, "DCP");
  EXPECT_THAT(document.problems, testing::IsEmpty());
  const auto rate =
      std::find_if(document.leaves.begin(), document.leaves.end(),
                   [](const Leaf& leaf) { return leaf.source.keys.back().text == "lr"; });
  ASSERT_NE(rate, document.leaves.end());
  EXPECT_TRUE(std::holds_alternative<double>(rate->value));
  EXPECT_EQ(rate->source.file, ".metadata");
}

TEST(Dcp, NamesWhatAMissingShardLoses) {
  const foreign::SampleCopy copy("handed/dcp-fsdp2-2rank");
  copy.remove("__1_0.distcp");
  const Document document = read(copy.path());
  EXPECT_THAT(document.problems,
              Contains(says(Problem::Kind::incomplete, "__1_0.distcp", "it holds")));
  const auto weight =
      std::find_if(document.leaves.begin(), document.leaves.end(),
                   [](const Leaf& leaf) { return leaf.source.keys.back().text == "a.weight"; });
  ASSERT_NE(weight, document.leaves.end());
  EXPECT_EQ(weight->bytes->size(), 32u * 16 * 4);
  EXPECT_THROW(weight->bytes->stream([](auto) {}), Error);
}

TEST(Dcp, NamesWhatACutShardLoses) {
  const foreign::SampleCopy copy("handed/dcp-fsdp2-2rank");
  copy.cut("__1_0.distcp", 80'000);
  const Document document = read(copy.path());
  EXPECT_THAT(document.problems, Contains(says(Problem::Kind::incomplete, "__1_0.distcp",
                                               "ends before \"rng.torch_1")));
}

TEST(Dcp, SaysThatASaveWasInterrupted) {
  const foreign::SampleCopy copy("handed/dcp-fsdp2-2rank");
  std::filesystem::rename(copy.path() / ".metadata", copy.path() / ".metadata.tmp");
  EXPECT_THAT(read(copy.path()).problems,
              Contains(says(Problem::Kind::incomplete, ".metadata", "interrupted")));
  copy.remove(".metadata.tmp");
  EXPECT_THAT(read(copy.path()).problems,
              Contains(says(Problem::Kind::incomplete, ".metadata", "never finished")));
}

TEST(Dcp, NotesShardsOfAnotherSave) {
  const foreign::SampleCopy copy("handed/dcp-single-rank");
  copy.write("__7_0.distcp", "old");
  EXPECT_THAT(read(copy.path()).notes, Contains(HasSubstr("__7_0.distcp")));
}

TEST(Dcp, ReadsOneRecordsDamageAsThatRecords) {
  const foreign::SampleCopy copy("handed/dcp-single-rank");
  copy.flip("__0_0.distcp", -30);  // in the end record of the last zip
  const Document document = read(copy.path());
  ASSERT_EQ(document.problems.size(), 1u);
  EXPECT_EQ(document.problems[0].kind, Problem::Kind::damaged);
}

TEST(Dcp, RefusesAnIndexThatLies) {
  for (const char* sample :
       {"dcp-chunk-overlap", "dcp-length-huge", "dcp-offset-beyond", "dcp-offset-negative",
        "dcp-path-absolute", "dcp-path-traversal", "dcp-size-huge"})
    EXPECT_THROW(read(foreign::sample(std::string("hostile/") + sample)), Error) << sample;
}

}  // namespace
}  // namespace samestep
