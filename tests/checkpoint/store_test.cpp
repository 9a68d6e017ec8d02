// Packs: each blob once, never again when an earlier capture has it, and damage named by field.
#include "checkpoint/store.h"

#include <gmock/gmock.h>

#include <random>

#include "byte_helpers.h"
#include "checkpoint/blob_codec.h"
#include "checkpoint/compressor.h"
#include "checkpoint/files/folder.h"
#include "checkpoint/hasher.h"
#include "checkpoint/pack_writer.h"
#include "schemas/error.h"
#include "tests/support/temporary_folder.h"

namespace samestep {
namespace {

std::vector<std::byte> noise(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() & 255);
  return bytes;
}

class StoreTest : public testing::Test {
 protected:
  StoreTest() { make_folders(folder / "4"); }

  static FieldBytesPtr field_of(const std::vector<std::byte>& data) {
    return tensor_bytes(view_of(data, Dtype::uint8, {static_cast<std::int64_t>(data.size())}, {1}),
                        nullptr);
  }
  static BlobClaim claim_of(const std::vector<std::byte>& data) {
    const std::vector<std::int64_t> shape = {static_cast<std::int64_t>(data.size())};
    return {digest_of(*field_of(data), Dtype::uint8, shape), Dtype::uint8, shape, "model/weight"};
  }
  std::unique_ptr<PackWriter> writer(StorePolicy policy = StorePolicy::planes) const {
    return std::make_unique<PackWriter>(
        folder.path(), [](int n) { return "4/rank-0." + std::to_string(n) + ".pack"; }, nullptr,
        policy);
  }
  static BlobPlace put(PackWriter& pack, const std::vector<std::byte>& data) {
    return pack.put(*field_of(data), Dtype::uint8, claim_of(data).shape).place;
  }
  FieldBytesPtr read(const BlobPlace& place, const std::vector<std::byte>& data) {
    return blob_bytes(std::make_shared<const PackFolder>(folder.path()), place, claim_of(data));
  }
  std::string error_of(const BlobPlace& place, const std::vector<std::byte>& data) {
    try {
      streamed(*read(place, data));
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder;
  const std::string pack_name = "4/rank-0.0.pack";
};

TEST_F(StoreTest, PacksOfVersion1AreRead) {
  const auto small = noise(100, 1);
  const std::vector<std::byte> zeros(200'000);
  const auto frame = compress(zeros);
  std::string text = "samestep pack 1\n";
  const auto append = [&](const std::vector<std::byte>& bytes, const char* codec) {
    text.resize((text.size() + 63) / 64 * 64);
    const BlobPlace place{pack_name, text.size(), bytes.size(), codec};
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return place;
  };
  const BlobPlace a = append(small, "raw"), b = append(frame, "zstd");
  put_file(folder / pack_name, text);
  EXPECT_EQ(streamed(*read(a, small)), small);
  EXPECT_EQ(streamed(*read(b, zeros)), zeros);
}

TEST_F(StoreTest, PacksOfVersion2AreRead) {
  const std::vector<std::byte> zeros(1000);
  std::vector<std::byte> blob(zeros.size() + kFrameExtraBytes);
  ChunkEncoder encoder;
  encoder.start({4});
  BlobIndex index{4, zeros.size(), {encoder.encode(zeros, blob)}};
  ASSERT_EQ(index.frames[0].form, ChunkForm::planes);
  blob.resize(index.frames[0].bytes);
  index.append_to(blob);
  std::string text = "samestep pack 2\n" + std::string(48, '\0');
  text.append(reinterpret_cast<const char*>(blob.data()), blob.size());
  put_file(folder / pack_name, text);
  EXPECT_EQ(streamed(*read({pack_name, 64, blob.size(), "planes"}, zeros)), zeros);
}

TEST_F(StoreTest, PacksOfVersion3AreRead) {
  std::vector<std::byte> data(1000);
  for (std::size_t i = 0; i < data.size(); ++i)
    data[i] = static_cast<std::byte>(i % 4 == 3 ? 60 + i % 3 : i * 7);
  std::vector<std::byte> blob(data.size() + kFrameExtraBytes);
  ChunkEncoder encoder;
  encoder.start({4, true});
  BlobIndex index{4, data.size(), {encoder.encode(data, blob)}};
  ASSERT_EQ(index.frames[0].form, ChunkForm::turned);
  blob.resize(index.frames[0].bytes);
  index.append_to(blob);
  std::string text = "samestep pack 3\n" + std::string(48, '\0');
  text.append(reinterpret_cast<const char*>(blob.data()), blob.size());
  put_file(folder / pack_name, text);
  EXPECT_EQ(streamed(*read({pack_name, 64, blob.size(), "planes"}, data)), data);
}

TEST_F(StoreTest, APackOfAnotherVersionIsRefused) {
  put_file(folder / pack_name, "samestep pack 5\n" + std::string(100, 'x'));
  EXPECT_THAT(error_of({pack_name, 16, 10, "raw"}, noise(10, 1)),
              testing::HasSubstr("not a samestep pack of a known version"));
}

TEST_F(StoreTest, WhatIsHeldIsReadAlthoughItIsRemoved) {
  const auto data = noise(100'000, 2);
  const auto pack = writer();
  const BlobPlace place = put(*pack, data);
  pack->commit();
  const auto packs = std::make_shared<const PackFolder>(folder.path());
  EXPECT_TRUE(packs->hold(pack_name));
  remove_tree(folder / pack_name);
  EXPECT_EQ(streamed(*blob_bytes(packs, place, claim_of(data))), data);
  EXPECT_FALSE(packs->hold("4/rank-0.1.pack"));
}

TEST_F(StoreTest, WithoutTheDigestsOfChunksTheRootDecides) {
  std::vector<std::byte> zeros(200'000);
  zeros[150'000] = std::byte{1};
  const auto pack = writer();
  const BlobPlace place = put(*pack, zeros);
  pack->commit();
  BlobClaim claim = claim_of(zeros);
  claim.digest.chunks.clear();
  const auto packs = std::make_shared<const PackFolder>(folder.path());
  EXPECT_EQ(streamed(*blob_bytes(packs, place, claim)), zeros);
  claim.digest.root.low ^= 1;
  EXPECT_THROW(streamed(*blob_bytes(packs, place, claim)), Error);
}

TEST_F(StoreTest, DamageNamesFieldPackAndBytes) {
  const auto data = noise(200'000, 6);
  const auto pack = writer();
  const BlobPlace place = put(*pack, data);
  pack->commit();
  std::string text = file_text(folder / pack_name);
  text[place.offset + 70'000] ^= 1;
  put_file(folder / pack_name, text);
  const std::string error = error_of(place, data);
  EXPECT_THAT(error, testing::HasSubstr("model/weight"));
  EXPECT_THAT(error, testing::HasSubstr(pack_name));
  EXPECT_THAT(error, testing::HasSubstr("bytes 65536 to 131072"));
}

TEST_F(StoreTest, EveryDamagedByteOfABlobIsTold) {
  const auto data = noise(64, 7);
  std::vector<std::byte> zeros(1000);
  const auto pack = writer();
  const BlobPlace raw = put(*pack, data), packed = put(*pack, zeros);
  ASSERT_EQ(packed.codec, "planes");
  pack->commit();
  const std::string whole = file_text(folder / pack_name);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string text = whole;
    text[i] = static_cast<char>(text[i] ^ 0x11);
    put_file(folder / pack_name, text);
    const bool in_raw = i < 16 || (i >= raw.offset && i < raw.offset + raw.stored_bytes);
    EXPECT_EQ(!error_of(raw, data).empty(), in_raw) << i;
    const bool in_packed =
        i < 16 || (i >= packed.offset && i < packed.offset + packed.stored_bytes);
    EXPECT_EQ(!error_of(packed, zeros).empty(), in_packed) << i;
  }
}

TEST_F(StoreTest, APackThatIsCutIsTold) {
  const auto data = noise(500, 8);
  const auto pack = writer();
  const BlobPlace place = put(*pack, data);
  pack->commit();
  const std::string whole = file_text(folder / pack_name);
  for (const std::size_t size : {0UL, 5UL, 16UL, 64UL, 563UL}) {
    put_file(folder / pack_name, whole.substr(0, size));
    EXPECT_NE(error_of(place, data), "") << size;
  }
  remove_tree(folder / pack_name);
  EXPECT_THAT(error_of(place, data), testing::HasSubstr(pack_name));
}

TEST_F(StoreTest, APlaceThatLiesIsTold) {
  const auto data = noise(500, 9);
  const auto pack = writer();
  BlobPlace place = put(*pack, data);
  pack->commit();
  place.offset = ~std::uint64_t{0} - 3;
  EXPECT_NE(error_of(place, data), "");
  place.offset = 64;
  place.stored_bytes = 499;
  EXPECT_NE(error_of(place, data), "");
  place.codec = "lz99";
  EXPECT_THAT(error_of(place, data), testing::HasSubstr("lz99"));
}

}  // namespace
}  // namespace samestep
