#include "checkpoint/formats/dcp_metadata.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "../foreign.h"
#include "checkpoint/containers/mapped_file.h"
#include "schemas/error.h"

namespace samestep {
namespace {

DcpMetadata read(const std::string& sample) {
  return read_dcp_metadata(map_file(foreign::sample(sample) / ".metadata", ".metadata"));
}

const DcpItem& item(const DcpMetadata& metadata, const std::string& name) {
  const auto place = std::find_if(metadata.items.begin(), metadata.items.end(),
                                  [&](const DcpItem& i) { return i.name == name; });
  if (place == metadata.items.end()) throw std::runtime_error("no item " + name);
  return *place;
}

TEST(DcpMetadata, ReadsTensorsWithTheirChunks) {
  const DcpMetadata metadata = read("handed/dcp-fsdp2-2rank");
  const DcpItem& weight = item(metadata, "app.model.a.weight");
  EXPECT_EQ(weight.dtype, Dtype::float32);
  EXPECT_THAT(weight.size, testing::ElementsAre(32, 16));
  ASSERT_EQ(weight.chunks.size(), 2u);
  EXPECT_THAT(weight.chunks[1].offsets, testing::ElementsAre(16, 0));
  EXPECT_THAT(weight.chunks[1].sizes, testing::ElementsAre(16, 16));
}

TEST(DcpMetadata, KeepsTheNestingThatWasRecorded) {
  const DcpMetadata metadata = read("handed/dcp-fsdp2-2rank");
  const DcpItem& rate = item(metadata, "app.optimizer.param_groups.0.lr");
  EXPECT_EQ(rate.dtype, std::nullopt);
  ASSERT_EQ(rate.keys.size(), 5u);
  EXPECT_EQ(rate.keys[3], (SourceKey{SourceKey::Kind::integer, "0"}));
  EXPECT_EQ(item(metadata, "app.model.a.weight").keys[2].text, "a.weight");
}

TEST(DcpMetadata, UsesTheFlatKeyWhereNoNestingWasRecorded) {
  const DcpMetadata metadata = read("handed/megatron-torch-dist-2rank/iter_0000005");
  EXPECT_THAT(item(metadata, "rng_state/shard_0.1_1.2").keys,
              testing::ElementsAre(SourceKey{SourceKey::Kind::string, "rng_state/shard_0.1_1.2"}));
}

TEST(DcpMetadata, ReadsWhereRecordsLie) {
  const DcpMetadata metadata = read("handed/dcp-fsdp2-2rank");
  const auto& record = metadata.records[0];
  EXPECT_EQ(record.name, "dataloader.dl_0");
  EXPECT_EQ(record.file, "__0_0.distcp");
  EXPECT_EQ(record.offset, 0);
  EXPECT_GT(record.length, 0);
  EXPECT_EQ(record.chunk, std::nullopt);
  EXPECT_FALSE(record.transformed);
  EXPECT_THAT(metadata.checkpoint_id, testing::EndsWith("step-5"));
}

TEST(DcpMetadata, NamesCodeWithoutRunningIt) {
  const DcpMetadata metadata = read("hostile/dcp-metadata-code");
  ASSERT_EQ(metadata.foreign.size(), 1u);
  EXPECT_EQ(metadata.foreign[0].class_name, "posix.system");
  EXPECT_EQ(metadata.foreign[0].kind, FieldKind::opaque);
}

TEST(DcpMetadata, RefusesOtherPickles) {
  using std::string_literals::operator""s;
  for (const std::string& pickle : {"\x80\x04]."s, "\x80\x04N."s, "\x80\x04}."s, ""s, "\x80\x04"s,
                                    "ctorch.distributed.checkpoint.metadata\nMetadata\n."s,
                                    "\x80\x02"
                                    "ctorch.distributed.checkpoint.metadata\nMetadata\n)\x81}b."s})
    EXPECT_THROW(read_dcp_metadata(foreign::slice_of(pickle)), Error)
        << testing::PrintToString(pickle);
}

TEST(DcpMetadata, SurvivesEveryDamagedByte) {
  std::ifstream file(foreign::sample("handed/dcp-single-rank") / ".metadata", std::ios::binary);
  const std::string good{std::istreambuf_iterator<char>(file), {}};
  std::size_t refused = 0;
  for (std::size_t at = 0; at < good.size(); at += 3) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x15);
    try {
      const DcpMetadata metadata = read_dcp_metadata(foreign::slice_of(bad));
      for (const DcpItem& found : metadata.items)
        for (const DcpChunk& chunk : found.chunks)
          for (std::size_t d = 0; d < found.size.size(); ++d)
            ASSERT_LE(chunk.offsets[d] + chunk.sizes[d], found.size[d]);
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, good.size() / 10);
}

}  // namespace
}  // namespace samestep
