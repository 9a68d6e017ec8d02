#include "checkpoint/formats/dcp_shards.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "../foreign.h"
#include "schemas/error.h"

namespace samestep {
namespace {

DcpRecord record(const std::string& name, const std::string& file, std::int64_t offset,
                 std::int64_t length) {
  DcpRecord made;
  made.name = name;
  made.file = file;
  made.offset = offset;
  made.length = length;
  return made;
}

class DcpShardsTest : public testing::Test {
 protected:
  DcpShards open(std::vector<DcpRecord> records) {
    scratch.write("a.distcp", std::string(100, 'x'));
    DcpMetadata metadata;
    metadata.records = std::move(records);
    return DcpShards(Folder(scratch.path()), "", ".metadata", metadata);
  }
  void refused(const DcpRecord& bad, const char* message) {
    EXPECT_THAT(
        [&] {
          open({record("w", "a.distcp", 0, 60), bad});
        },
        testing::ThrowsMessage<Error>(testing::HasSubstr(message)));
  }
  TemporaryFolder scratch;
};

TEST_F(DcpShardsTest, FindsRecords) {
  const DcpRecord second = record("b", "a.distcp", 60, 40);
  const DcpShards shards = open({record("w", "a.distcp", 0, 60), second});
  EXPECT_EQ(shards.slice(second, "b", std::nullopt)->bytes.size(), 40u);
  EXPECT_EQ(shards.slice(second, "b", std::nullopt)->offset, 60u);
  EXPECT_TRUE(shards.knows("a.distcp"));
  EXPECT_FALSE(shards.knows("b.distcp"));
}

TEST_F(DcpShardsTest, RefusesExtentsThatContradictEachOther) {
  refused(record("b", "a.distcp", -5, 10), "negative offset");
  refused(record("b", "a.distcp", 60, -1), "negative length");
  refused(record("b", "a.distcp", 59, 10), "overlaps");
  refused(record("b", "a.distcp", 1'000'000, 10), "past the end");
  refused(record("b", "a.distcp", 60, INT64_MAX), "past any");
  refused(record("b", "a.distcp", INT64_MAX, 1), "past any");
}

TEST_F(DcpShardsTest, RefusesFilesOutside) {
  for (const char* file : {"/etc/passwd", "../a.distcp", "x/../../a"})
    EXPECT_THAT([&] { open({record("w", file, 0, 10)}); },
                testing::ThrowsMessage<Error>(testing::HasSubstr("outside")));
}

TEST_F(DcpShardsTest, KnowsWhatIsMissingOrCut) {
  const DcpRecord cut = record("b", "a.distcp", 60, 41), lost = record("c", "b.distcp", 0, 10);
  const DcpShards shards = open({record("w", "a.distcp", 0, 60), cut, lost});
  EXPECT_FALSE(shards.slice(cut, "b", std::nullopt));
  EXPECT_FALSE(shards.slice(lost, "c", std::nullopt));
  EXPECT_THAT(shards.missing(), testing::ElementsAre("b.distcp"));
}

TEST_F(DcpShardsTest, RefusesRecordsFarLongerThanTheirTensor) {
  const DcpRecord big = record("w", "a.distcp", 0, 1ll << 40);
  const DcpShards shards = open({big});
  EXPECT_FALSE(shards.slice(big, "w", std::nullopt));
  EXPECT_THAT([&] { shards.slice(big, "w", 16); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("far longer")));
}

TEST_F(DcpShardsTest, FollowsLinksStoredAsText) {
  scratch.write("blob", std::string(100, 'y'));
  scratch.write("inside.distcp", "blob");
  scratch.write("outside.distcp", "/etc/passwd");
  scratch.write("climbing.distcp", "../../secret");
  const DcpRecord linked = record("w", "inside.distcp", 0, 100);
  EXPECT_EQ(open({linked}).slice(linked, "w", std::nullopt)->file, "blob");
  for (const char* file : {"outside.distcp", "climbing.distcp"})
    EXPECT_THAT([&] { open({record("w", file, 0, 100)}); },
                testing::ThrowsMessage<Error>(testing::HasSubstr("outside")));
}

}  // namespace
}  // namespace samestep
