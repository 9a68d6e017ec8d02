// Packs: each blob once, never again when an earlier capture has it, and damage named by field.
#include "checkpoint/store.h"

#include <gmock/gmock.h>

#include <random>

#include "byte_helpers.h"
#include "checkpoint/files/folder.h"
#include "checkpoint/hasher.h"
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
  BlobPlace put(PackWriter& pack, const std::vector<std::byte>& data) {
    return pack.put(claim_of(data).digest.root, *field_of(data));
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

TEST_F(StoreTest, WhatIsPutIsReadBack) {
  const auto small = noise(5, 1), large = noise(200'000, 2),
             zeros = std::vector<std::byte>(100'000);
  PackWriter pack(folder.path(), pack_name);
  const BlobPlace a = put(pack, small), b = put(pack, large), c = put(pack, zeros);
  pack.commit();
  EXPECT_EQ(streamed(*read(a, small)), small);
  EXPECT_EQ(streamed(*read(b, large)), large);
  EXPECT_EQ(streamed(*read(c, zeros)), zeros);
  EXPECT_EQ(b.codec, "raw");
  EXPECT_EQ(b.offset % 64, 0U);
  EXPECT_EQ(c.codec, "zstd");
  EXPECT_LT(c.stored_bytes, 1000U);
}

TEST_F(StoreTest, IdenticalBytesAreWrittenOnce) {
  const auto data = noise(10'000, 3), copy = data;
  PackWriter pack(folder.path(), pack_name);
  const BlobPlace first = put(pack, data), second = put(pack, copy);
  pack.commit();
  EXPECT_EQ(first.offset, second.offset);
  EXPECT_LT(file_text(folder / pack_name).size(), 11'000U);
}

TEST_F(StoreTest, WhatAnEarlierCaptureHoldsIsNotWrittenAgain) {
  const auto data = noise(10'000, 4);
  PackWriter first(folder.path(), pack_name);
  const BlobPlace place = put(first, data);
  first.commit();
  PackWriter second(folder.path(), "4/rank-0.1.pack");
  second.know({{claim_of(data).digest.root, place}});
  EXPECT_EQ(put(second, data).pack, pack_name);
  second.commit();
  EXPECT_FALSE(is_regular_file(folder / "4/rank-0.1.pack"));
}

TEST_F(StoreTest, APackThatIsNotCommittedLeavesNothing) {
  {
    PackWriter pack(folder.path(), pack_name);
    put(pack, noise(100, 5));
  }
  EXPECT_TRUE(list_folder(folder / "4").empty());
}

TEST_F(StoreTest, DamageNamesFieldPackAndBytes) {
  const auto data = noise(200'000, 6);
  PackWriter pack(folder.path(), pack_name);
  const BlobPlace place = put(pack, data);
  pack.commit();
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
  PackWriter pack(folder.path(), pack_name);
  const BlobPlace raw = put(pack, data), packed = put(pack, zeros);
  pack.commit();
  const std::string whole = file_text(folder / pack_name);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string text = whole;
    text[i] = static_cast<char>(text[i] ^ 0x11);
    put_file(folder / pack_name, text);
    const bool in_raw = i < 16 || (i >= raw.offset && i < raw.offset + raw.stored_bytes);
    EXPECT_EQ(!error_of(raw, data).empty(), in_raw) << i;
    if (i >= packed.offset) {
      try {
        EXPECT_EQ(streamed(*read(packed, zeros)), zeros) << i;
      } catch (const Error&) {
      }
    }
  }
}

TEST_F(StoreTest, APackThatIsCutIsTold) {
  const auto data = noise(500, 8);
  PackWriter pack(folder.path(), pack_name);
  const BlobPlace place = put(pack, data);
  pack.commit();
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
  PackWriter pack(folder.path(), pack_name);
  BlobPlace place = put(pack, data);
  pack.commit();
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
