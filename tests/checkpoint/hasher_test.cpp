// The digest scheme: its vectors, and that a tree does not depend on how bytes came.
#include "checkpoint/hasher.h"

#include <gtest/gtest.h>

#include <array>

#include "byte_helpers.h"

namespace samestep {
namespace {

struct ValueVector {
  const char* name;
  Value value;
  const char* digest;
};

BigInt two_to_63() {
  BigInt big{std::vector<std::byte>(9)};
  big.bytes[7] = std::byte{0x80};
  return big;
}

TEST(Hasher, ValuesHaveTheDigestsOfTheScheme) {
  const ValueVector vectors[] = {
      {"None", None{}, "16b9829a39c314baea8f88924a9def5f"},
      {"True", true, "4813d7d93479d088f0f9d4038e72a9f5"},
      {"int -1", std::int64_t{-1}, "70f2d9114995cd19c605f83264665f83"},
      {"int 2^63", two_to_63(), "d1339284401deb0a3c7c9d13ab81b5c4"},
      {"float 0.1", 0.1, "9a1127c37be4b48cc255d318af359a4d"},
      {"str", std::string("größe"), "3f7f989829c7e7d7ea55c761b02932c3"},
      {"bytes", Bytes{std::byte{0}, std::byte{1}}, "17ed8e918fd26e33413e17c8a5db9bd1"},
      {"ints", Numbers{std::vector<std::int64_t>{1, 2, 3}}, "5c0b3c43b4856b9adf370bcec83c6367"},
      {"floats", Numbers{std::vector<double>{1.5}}, "4cf5f674855c6d3f4ee3b54e540610d0"},
  };
  for (const ValueVector& vector : vectors) {
    EXPECT_EQ(digest_of(vector.value).root.hex(), vector.digest) << vector.name;
  }
}

TEST(Hasher, DtypeAndShapeEnterTheRoot) {
  const std::vector<float> one = {1.0F};
  const auto digest = [&](Dtype dtype, std::vector<std::int64_t> sizes) {
    const std::vector<std::int64_t> strides(sizes.size(), 1);
    return digest_of(*tensor_bytes(view_of(one, dtype, sizes, strides), nullptr), dtype, sizes)
        .root.hex();
  };
  EXPECT_EQ(digest(Dtype::float32, {}), "a28c75804807838cea4c21c242a44d80");
  EXPECT_EQ(digest(Dtype::float32, {1}), "7ee8874bc7f0ec6faad15886c3080035");
  EXPECT_EQ(digest(Dtype::int32, {1}), "59cbbce24acd5236e7e51d70fb93cf5d");
  EXPECT_EQ(digest(Dtype::float32, {0}), "4b34d1518b6289f5fd12b8bb8cd5b27b");
}

TEST(Hasher, ChunksEndWhereTheSchemeSays) {
  const std::pair<std::size_t, const char*> vectors[] = {
      {65535, "02577d8593b966cef1688891f3de6773"},
      {65536, "1aea2087bd44c21eea43f7db967a30c5"},
      {65537, "61fac8215c9c7ebc00707e99faadad32"},
      {200000, "efc05dc92db4843b854cf51d9bf0f7b4"},
  };
  for (const auto& [size, digest] : vectors) {
    const std::array<std::int64_t, 1> shape = {static_cast<std::int64_t>(size)};
    Hasher hasher;
    hasher.update(ramp(size));
    const DigestTree tree = hasher.finish(Dtype::uint8, shape);
    EXPECT_EQ(tree.root.hex(), digest) << size;
    EXPECT_EQ(tree.chunks.size(), (size + kChunkBytes - 1) / kChunkBytes);
    EXPECT_EQ(tree.bytes, size);
  }
}

TEST(Hasher, TheTreeDoesNotDependOnThePieces) {
  const auto bytes = ramp(300'001);
  const std::array<std::int64_t, 1> shape = {300'001};
  Hasher hasher;
  hasher.update(bytes);
  const DigestTree whole = hasher.finish(Dtype::uint8, shape);
  for (const std::size_t piece : {1UL, 13UL, 65'535UL, 65'536UL, 65'537UL, 131'073UL}) {
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      hasher.update(std::span(bytes).subspan(at, std::min(piece, bytes.size() - at)));
    }
    const DigestTree cut = hasher.finish(Dtype::uint8, shape);
    EXPECT_EQ(cut.root, whole.root) << piece;
    EXPECT_EQ(cut.chunks, whole.chunks) << piece;
  }
}

TEST(Hasher, TwoThreadsMakeTheSameTree) {
  const std::vector<std::byte> bytes = ramp((std::size_t{9} << 20) + 12'345);
  const std::vector<std::int64_t> shape = {static_cast<std::int64_t>(bytes.size())};
  const auto tensor = tensor_bytes(view_of(bytes, Dtype::uint8, shape, {1}), nullptr);
  Hasher hasher;
  hasher.update(bytes);
  const DigestTree one = hasher.finish(Dtype::uint8, shape),
                   two = digest_of(*tensor, Dtype::uint8, shape);
  EXPECT_EQ(one.root, two.root);
  EXPECT_EQ(one.chunks, two.chunks);
  EXPECT_EQ(one.bytes, two.bytes);
}

TEST(Hasher, OneBitChangesOneChunkAndTheRoot) {
  auto bytes = ramp(3 * kChunkBytes);
  const std::vector<std::int64_t> shape = {3 * kChunkBytes};
  const auto tree = [&] {
    return digest_of(*tensor_bytes(view_of(bytes, Dtype::uint8, shape, {1}), nullptr), Dtype::uint8,
                     shape);
  };
  const DigestTree before = tree();
  bytes[kChunkBytes + 5] ^= std::byte{1};
  const DigestTree after = tree();
  EXPECT_NE(before.root, after.root);
  EXPECT_EQ(before.chunks[0], after.chunks[0]);
  EXPECT_NE(before.chunks[1], after.chunks[1]);
  EXPECT_EQ(before.chunks[2], after.chunks[2]);
}

TEST(Hasher, EqualNumbersOfOtherKindsDiffer) {
  EXPECT_NE(digest_of(Value(std::int64_t{1})).root, digest_of(Value(1.0)).root);
  EXPECT_NE(digest_of(Value(std::int64_t{1})).root, digest_of(Value(true)).root);
  EXPECT_NE(digest_of(Value(0.0)).root, digest_of(Value(-0.0)).root);
}

TEST(Hasher, Sha256IsOfTheCanonicalBytesAlone) {
  const auto bytes = bytes_of("abc");
  EXPECT_EQ(sha256_of(*tensor_bytes(view_of(bytes, Dtype::uint8, {3}, {1}), nullptr)),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256_of(*tensor_bytes(view_of(bytes, Dtype::uint8, {0}, {1}), nullptr)),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

}  // namespace
}  // namespace samestep
