// Packs being written: each blob once, never again when an earlier capture has it, the same digest
// and the same bytes however a field comes.
#include "checkpoint/pack_writer.h"

#include <gmock/gmock.h>

#include <random>

#include "byte_helpers.h"
#include "checkpoint/files/folder.h"
#include "checkpoint/hasher.h"
#include "checkpoint/store.h"
#include "files/limits.h"
#include "schemas/error.h"
#include "tests/support/temporary_folder.h"

namespace samestep {
namespace {

using Bytes = std::vector<std::byte>;

Bytes noise(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  Bytes bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() & 255);
  return bytes;
}

/// Like numbers of one magnitude: the fourth byte of each has few values.
Bytes numbers(std::size_t size, unsigned seed) {
  Bytes bytes = noise(size, seed);
  for (std::size_t i = 3; i < size; i += 4) bytes[i] &= std::byte{3};
  return bytes;
}

struct Sample {
  Bytes data;
  Dtype dtype = Dtype::float32;
  std::vector<std::int64_t> shape() const {
    return {static_cast<std::int64_t>(data.size() / element_bytes(dtype))};
  }
  FieldBytesPtr bytes() const { return tensor_bytes(view_of(data, dtype, shape(), {1}), nullptr); }
};

class PackWriterTest : public testing::TestWithParam<StorePolicy> {
 protected:
  PackWriterTest() { make_folders(folder / "4"); }

  std::unique_ptr<PackWriter> writer(std::shared_ptr<const KnownBlobs> earlier = nullptr) const {
    return std::make_unique<PackWriter>(
        folder.path(), [](int n) { return "4/rank-0." + std::to_string(n) + ".pack"; },
        std::move(earlier), GetParam());
  }
  static PackWriter::Stored put(PackWriter& pack, const Sample& sample) {
    return pack.put(*sample.bytes(), sample.dtype, sample.shape());
  }
  Bytes read(const PackWriter::Stored& stored, const Sample& sample) const {
    BlobClaim claim{stored.digest, sample.dtype, sample.shape(), "model/weight"};
    return streamed(*blob_bytes(std::make_shared<const PackFolder>(folder.path()), stored.place,
                                std::move(claim)));
  }

  TemporaryFolder folder;
};

TEST_P(PackWriterTest, WhatIsPutIsReadBackWithItsDigest) {
  const Sample rows[] = {{{}},
                         {noise(4, 1)},
                         {numbers(65'536, 2)},
                         {numbers(65'540, 3)},
                         {numbers(1'000'000, 4)},
                         {numbers(5'000'000, 5)},
                         {noise(3'000'001, 6), Dtype::uint8},
                         {Bytes(4'000'000), Dtype::int64},
                         {numbers(2'200'000, 7), Dtype::bfloat16}};
  const auto pack = writer();
  std::vector<PackWriter::Stored> stored;
  for (const Sample& sample : rows) stored.push_back(put(*pack, sample));
  pack->commit();
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const Sample& sample = rows[i];
    const DigestTree tree = digest_of(*sample.bytes(), sample.dtype, sample.shape());
    EXPECT_EQ(stored[i].digest.root, tree.root) << i;
    EXPECT_EQ(stored[i].digest.chunks, tree.chunks) << i;
    EXPECT_EQ(stored[i].digest.bytes, tree.bytes) << i;
    EXPECT_EQ(stored[i].place.offset % 64, 0U);
    EXPECT_EQ(read(stored[i], sample), sample.data) << i;
  }
}

TEST_P(PackWriterTest, NumbersShrinkUnderPlanesAlone) {
  const auto pack = writer();
  for (const Sample& sample : {Sample{numbers(400'000, 8)}, Sample{numbers(4'000'000, 9)}}) {
    const BlobPlace place = put(*pack, sample).place;
    if (GetParam() == StorePolicy::planes) {
      EXPECT_EQ(place.codec, "planes");
      EXPECT_LT(place.stored_bytes, sample.data.size() * 9 / 10);
    } else {
      EXPECT_EQ(place.codec, "raw");
      EXPECT_EQ(place.stored_bytes, sample.data.size());
    }
    EXPECT_EQ(put(*pack, {noise(sample.data.size(), 10)}).place.codec, "raw");
  }
}

TEST_P(PackWriterTest, TheSameFieldsGiveTheSamePack) {
  std::vector<std::string> packs;
  for (int i = 0; i < 3; ++i) {
    const auto pack = writer();
    for (const unsigned seed : {1, 2}) put(*pack, {numbers(6'000'000, seed)});
    pack->commit();
    packs.push_back(file_text(folder / ("4/rank-0." + std::to_string(i) + ".pack")));
  }
  EXPECT_TRUE(packs[0] == packs[1] && packs[1] == packs[2]);
}

TEST_P(PackWriterTest, StridedTensorsAreWrittenAsTheirElements) {
  const Bytes data = numbers(4 * 700 * 1000, 11);
  const auto transposed = [&] {
    return tensor_bytes(view_of(data, Dtype::float32, {1000, 700}, {1, 1000}), nullptr);
  };
  const Bytes elements = streamed(*transposed());
  const auto pack = writer();
  const std::vector<std::int64_t> shape = {1000, 700};
  const auto stored = pack->put(*transposed(), Dtype::float32, shape);
  const auto again = pack->put(*transposed(), Dtype::float32, shape);
  pack->commit();
  EXPECT_EQ(stored.digest.root, digest_of(*transposed(), Dtype::float32, shape).root);
  EXPECT_EQ(again.digest.root, stored.digest.root);
  EXPECT_EQ(again.place.offset, stored.place.offset);
  BlobClaim claim{stored.digest, Dtype::float32, shape, "model/weight"};
  EXPECT_EQ(streamed(*blob_bytes(std::make_shared<const PackFolder>(folder.path()), stored.place,
                                 std::move(claim))),
            elements);
}

TEST_P(PackWriterTest, IdenticalBytesAreWrittenOnce) {
  const auto pack = writer();
  for (const std::size_t size : {10'000, 100'000, 3'000'000}) {
    const Sample data{noise(size, 3)};
    const BlobPlace first = put(*pack, data).place;
    const std::uint64_t written = pack->bytes_written();
    const BlobPlace second = put(*pack, Sample(data)).place;
    EXPECT_EQ(first.offset, second.offset) << size;
    EXPECT_EQ(pack->bytes_written(), written) << size;
  }
}

TEST_P(PackWriterTest, FieldsThatBeginAlikeAreToldApart) {
  Sample first{noise(3'000'000, 4)}, second = first;
  second.data.back() ^= std::byte{1};
  const auto pack = writer();
  const auto a = put(*pack, first), b = put(*pack, second);
  pack->commit();
  EXPECT_NE(a.place.offset, b.place.offset);
  EXPECT_EQ(read(a, first), first.data);
  EXPECT_EQ(read(b, second), second.data);
}

TEST_P(PackWriterTest, WhatAnEarlierCaptureHoldsIsNotWrittenAgain) {
  const Sample small{noise(10'000, 4)}, large{noise(3'000'000, 5)};
  const auto first = writer();
  const auto earlier = std::make_shared<KnownBlobs>();
  for (const Sample& sample : {small, large}) {
    const auto stored = put(*first, sample);
    earlier->add(stored.digest.root, stored.digest.chunks, stored.place);
  }
  first->commit();
  const auto second = writer(earlier);
  EXPECT_EQ(put(*second, small).place.pack, "4/rank-0.0.pack");
  const auto stored = put(*second, large);
  EXPECT_EQ(stored.place.pack, "4/rank-0.0.pack");
  EXPECT_EQ(read(stored, large), large.data);
  EXPECT_EQ(second->bytes_written(), 0U);
  second->commit();
  EXPECT_FALSE(is_regular_file(folder / "4/rank-0.1.pack"));
}

TEST_P(PackWriterTest, APackThatIsNotCommittedLeavesNothing) {
  {
    const auto pack = writer();
    put(*pack, {noise(100, 5)});
    put(*pack, {noise(4'000'000, 6)});
  }
  EXPECT_TRUE(list_folder(folder / "4").empty());
}

TEST_P(PackWriterTest, TwoWritersTakeTwoNames) {
  const Sample data{noise(100, 7)}, other{noise(100, 8)};
  const auto first = writer(), second = writer();
  const auto a = put(*first, data), b = put(*second, other);
  EXPECT_NE(a.place.pack, b.place.pack);
  second->commit();
  first->commit();
  EXPECT_EQ(read(a, data), data.data);
  EXPECT_EQ(read(b, other), other.data);
}

TEST_P(PackWriterTest, AFullDiskIsToldByEachThread) {
  const FileSizeLimit limit(3'000'000);
  const auto pack = writer();
  EXPECT_THROW(put(*pack, {noise(16'000'000, 9)}), Error);
}

std::string name_of_policy(const testing::TestParamInfo<StorePolicy>& info) {
  return info.param == StorePolicy::raw ? "raw" : "planes";
}
INSTANTIATE_TEST_SUITE_P(Policies, PackWriterTest,
                         testing::Values(StorePolicy::raw, StorePolicy::planes), name_of_policy);

}  // namespace
}  // namespace samestep
