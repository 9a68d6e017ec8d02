#include "checkpoint/formats/safetensors_folder.h"

#include <gmock/gmock.h>

#include "../sample_copy.h"
#include "checkpoint/formats/folder_reader.h"
#include "schemas/error.h"

namespace samestep {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;

Document read(const std::filesystem::path& path) { return read_folder(Folder(path), ""); }

TEST(SafetensorsFolder, ChecksTheIndexAgainstTheShards) {
  const foreign::SampleCopy copy("handed/safetensors-sharded-index");
  EXPECT_THAT(read(copy.path()).problems, testing::IsEmpty());
  copy.write("model.safetensors.index.json",
             R"({"weight_map":{"odd":"model-00001-of-00002.safetensors"}})");
  EXPECT_THAT(read(copy.path()).problems, Contains(Field(&Problem::where, "odd")));
  copy.write("model.safetensors.index.json",
             R"({"weight_map":{"a":"model-00009-of-00002.safetensors"}})");
  EXPECT_THAT(read(copy.path()).problems,
              Contains(Field(&Problem::message, HasSubstr("shard is missing"))));
}

TEST(SafetensorsFolder, RefusesShardsOutside) {
  const foreign::SampleCopy copy("handed/safetensors-sharded-index");
  copy.write("model.safetensors.index.json", R"({"weight_map":{"a":"../../etc/passwd"}})");
  EXPECT_THAT([&] { read(copy.path()); }, testing::ThrowsMessage<Error>(HasSubstr("outside")));
}

TEST(SafetensorsFolder, AssemblesTensorsThatDcpSharded) {
  const Document document = read(foreign::sample("handed/dcp-hf-safetensors-2rank"));
  std::vector<const Leaf*> weights;
  for (const Leaf& leaf : document.leaves)
    if (leaf.source.keys[0].text == "a.weight") weights.push_back(&leaf);
  ASSERT_EQ(weights.size(), 3u);
  EXPECT_THAT(weights[0]->shape, testing::ElementsAre(32, 16));
  std::vector<std::byte> whole, halves;
  const auto into = [](std::vector<std::byte>& target) {
    return [&target](std::span<const std::byte> piece) {
      target.insert(target.end(), piece.begin(), piece.end());
    };
  };
  weights[0]->bytes->stream(into(whole));
  weights[1]->bytes->stream(into(halves));
  weights[2]->bytes->stream(into(halves));
  EXPECT_EQ(whole, halves);
}

TEST(SafetensorsFolder, MissesAShardOfDcp) {
  const foreign::SampleCopy copy("handed/dcp-hf-safetensors-2rank");
  copy.remove("shard-00001-model-00001-of-00001.safetensors");
  EXPECT_THAT(read(copy.path()).problems,
              Contains(Field(&Problem::message, HasSubstr("do not cover"))));
}

}  // namespace
}  // namespace samestep
