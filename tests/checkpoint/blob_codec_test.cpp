// Chunks as frames: what goes in comes out, only what pays is coded, and damage is told.
#include "checkpoint/blob_codec.h"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <random>

#include "byte_helpers.h"
#include "checkpoint/hasher.h"
#include "schemas/error.h"
#include "schemas/hex.h"

namespace samestep {
namespace {

using Bytes = std::vector<std::byte>;

Bytes noise(std::size_t size) {
  std::mt19937 random(3);
  Bytes bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() & 255);
  return bytes;
}

/// As weights are: normally distributed float32.
Bytes weights(std::size_t count) {
  std::mt19937 random(4);
  Bytes bytes(4 * count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto share = [&] { return (static_cast<double>(random()) + 1) / 4294967297.0; };
    const double a = share(), b = share();
    const auto value =
        static_cast<float>(0.02 * std::sqrt(-2 * std::log(a)) * std::cos(6.283185307 * b));
    std::memcpy(bytes.data() + 4 * i, &value, 4);
  }
  return bytes;
}

/// A blob of `data`, chunk by chunk.
Bytes blob_of(const Bytes& data, std::size_t planes, BlobIndex* index_out = nullptr,
              bool turned = false, std::size_t row = 0) {
  ChunkEncoder encoder;
  encoder.start({planes, turned, row}, 0, data.size() / kChunkBytes + 1);
  BlobIndex index{planes, data.size(), {}};
  Bytes blob, frame(kChunkBytes + kFrameExtraBytes);
  for (std::size_t begin = 0; begin < data.size(); begin += kChunkBytes) {
    const auto chunk =
        std::span(data).subspan(begin, std::min<std::size_t>(kChunkBytes, data.size() - begin));
    index.frames.push_back(encoder.encode(chunk, frame));
    blob.insert(blob.end(), frame.begin(), frame.begin() + index.frames.back().bytes);
  }
  index.append_to(blob);
  if (index_out) *index_out = index;
  return blob;
}

Bytes decoded(const Bytes& blob, std::uint64_t bytes) {
  const BlobIndex index = BlobIndex::read(blob, bytes, "here");
  ChunkDecoder decoder;
  Bytes data(bytes);
  std::size_t at = 0, begin = 0;
  for (const ChunkFrame& frame : index.frames) {
    const auto target =
        std::span(data).subspan(begin, std::min<std::size_t>(kChunkBytes, bytes - begin));
    decoder.decode(frame, index.planes, std::span(blob).subspan(at, frame.bytes), target, "here");
    at += frame.bytes;
    begin += target.size();
  }
  return data;
}

TEST(BlobCodec, WhatGoesInComesOut) {
  const Bytes rows[] = {{},
                        noise(8),
                        noise(64),
                        ramp(1000),
                        noise(200'000),
                        ramp(131'072),
                        Bytes(300'000),
                        weights(50'000)};
  for (const Bytes& data : rows) {
    for (const std::size_t planes : {1, 2, 4, 8}) {
      for (const bool turned : {false, true})
        EXPECT_EQ(decoded(blob_of(data, planes, nullptr, turned), data.size()), data)
            << data.size() << " " << planes << turned;
    }
  }
}

TEST(BlobCodec, ChangingDataComesOut) {
  // What paid in one chunk does not in the next, and the other way round.
  Bytes data = weights(16'384);
  for (const Bytes& more : {noise(65'536), Bytes(65'536), weights(16'384), noise(65'536)})
    data.insert(data.end(), more.begin(), more.end());
  BlobIndex index;
  const Bytes blob = blob_of(data, 4, &index);
  EXPECT_EQ(decoded(blob, data.size()), data);
  EXPECT_EQ(index.frames[1].form, ChunkForm::raw);
  EXPECT_LT(index.frames[2].bytes, 30U);
}

TEST(BlobCodec, TheExponentsOfWeightsShrinkAndNoiseIsLeftAlone) {
  BlobIndex index;
  blob_of(weights(65'536), 4, &index);
  for (const ChunkFrame& frame : index.frames) {
    EXPECT_EQ(frame.form, ChunkForm::planes);
    EXPECT_LT(frame.bytes, 0.85 * kChunkBytes);
  }
  blob_of(noise(131'072), 4, &index);
  for (const ChunkFrame& frame : index.frames)
    EXPECT_EQ(frame, (ChunkFrame{ChunkForm::raw, kChunkBytes}));
}

/// As second moments are: never negative.
Bytes squares(std::size_t count) {
  Bytes bytes = weights(count);
  for (std::size_t i = 3; i < bytes.size(); i += 4) bytes[i] &= std::byte{0x7F};
  return bytes;
}

std::uint64_t frames_of(const Bytes& data, bool turned, ChunkForm form, std::size_t row = 0) {
  BlobIndex index;
  const Bytes blob = blob_of(data, 4, &index, turned, row);
  EXPECT_EQ(decoded(blob, data.size()), data);
  std::uint64_t bytes = 0;
  for (const ChunkFrame& frame : index.frames) {
    EXPECT_EQ(frame.form, form);
    bytes += frame.bytes;
  }
  return bytes;
}

TEST(BlobCodec, TurnedNumbersTakeLess) {
  for (const Bytes& data : {weights(65'536), squares(65'536)})
    EXPECT_LT(frames_of(data, true, ChunkForm::turned) + data.size() / 400,
              frames_of(data, false, ChunkForm::planes));
}

/// As second moments of a matrix are: large or small by rows and by columns.
Bytes moments(std::size_t count, std::size_t row) {
  Bytes bytes = squares(count);
  for (std::size_t i = 0; i < count; ++i) {
    float value = 0;
    std::memcpy(&value, bytes.data() + 4 * i, 4);
    const auto wave = [](std::size_t at) { return static_cast<float>(at * at * 7 % 23) - 11; };
    value *= value * std::exp2(wave(i % row) + wave(i / row));
    std::memcpy(bytes.data() + 4 * i, &value, 4);
  }
  return bytes;
}

TEST(BlobCodec, ExponentsTakeLessWithoutTheLevelsOfRowsAndColumns) {
  for (const std::size_t row : {64, 500, 1000, 4096}) {
    const Bytes data = moments(131'072, row);
    EXPECT_LT(frames_of(data, true, ChunkForm::levelled, row) + data.size() / 40,
              frames_of(data, true, ChunkForm::turned))
        << row;
  }
}

TEST(BlobCodec, LevelsAreTakenOnlyWhereTheyPay) {
  frames_of(weights(65'536), true, ChunkForm::turned, 512);
  frames_of(moments(65'536, 8192), true, ChunkForm::turned, 8192);  // two rows a chunk
  frames_of(moments(16'384, 4096), true, ChunkForm::turned, 0);
}

TEST(BlobCodec, WhatHasLevelsAndChangesComesOut) {
  Bytes data = moments(32'768, 700);
  for (const Bytes& more : {noise(65'536), moments(16'384, 700), Bytes(65'536), weights(40'000)})
    data.insert(data.end(), more.begin(), more.end());
  for (const std::size_t planes : {2, 4, 8}) {
    for (const std::size_t row : {64, 700, 701, 8192}) {
      const Bytes blob = blob_of(data, planes, nullptr, true, row);
      EXPECT_EQ(decoded(blob, data.size()), data) << planes << " " << row;
    }
  }
}

TEST(BlobCodec, LevelsThatCannotBeAreTold) {
  const Bytes data = moments(32'768, 512);
  BlobIndex index;
  const Bytes blob = blob_of(data, 4, &index, true, 512);
  ASSERT_EQ(index.frames.at(1).form, ChunkForm::levelled);
  const Bytes first(blob.begin(), blob.begin() + index.frames[0].bytes);
  const Bytes second(blob.begin() + index.frames[0].bytes,
                     blob.begin() + index.frames[0].bytes + index.frames[1].bytes);
  const auto said = [](const Bytes& frame, std::size_t planes = 4) {
    Bytes chunk(kChunkBytes);
    try {
      ChunkDecoder().decode({ChunkForm::levelled, static_cast<std::uint32_t>(frame.size())}, planes,
                            frame, chunk, "here");
      return std::string("nothing");
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  const auto changed = [&](std::size_t at, int byte) {
    Bytes frame = first;
    frame[at] = static_cast<std::byte>(byte);
    return said(frame);
  };
  EXPECT_EQ(said(first), "nothing");
  EXPECT_THAT(said(second), testing::HasSubstr("without the levels of its columns"));
  EXPECT_THAT(said(first, 1), testing::HasSubstr("cannot have planes"));
  EXPECT_THAT(changed(1, 0), testing::HasSubstr("contradict themselves"));   // no width
  EXPECT_THAT(changed(5, 2), testing::HasSubstr("contradict themselves"));   // column 512
  EXPECT_THAT(changed(10, 1), testing::HasSubstr("contradict themselves"));  // a flag
  EXPECT_THAT(changed(3, 1), testing::HasSubstr("ends before its levels"));  // a huge width
  for (const std::size_t size : {0, 11, 300, 12 + 512 + 3})
    EXPECT_THAT(said({first.begin(), first.begin() + static_cast<std::ptrdiff_t>(size)}),
                testing::HasSubstr("ends before its levels"));
  EXPECT_THAT(said({first.begin(), first.begin() + 12 + 512 + 32 + 15}),
              testing::HasSubstr("ends before its planes"));
}

TEST(BlobCodec, TheSignOfSquaresTakesNothing) {
  EXPECT_LT(frames_of(squares(65'536), true, ChunkForm::turned) + 65'536 / 8 - 100,
            frames_of(weights(65'536), true, ChunkForm::turned));
}

TEST(BlobCodec, FloatingPointNumbersAreTurned) {
  for (const Dtype dtype : {Dtype::float16, Dtype::bfloat16, Dtype::float32, Dtype::float64,
                            Dtype::complex32, Dtype::complex64, Dtype::complex128})
    EXPECT_TRUE(is_turned(dtype));
  for (const Dtype dtype : {Dtype::none, Dtype::int64, Dtype::uint8, Dtype::text, Dtype::boolean})
    EXPECT_FALSE(is_turned(dtype));
}

TEST(BlobCodec, NumbersOfADtypeAreSplit) {
  const std::pair<Dtype, std::size_t> rows[] = {
      {Dtype::float32, 4},   {Dtype::bfloat16, 2}, {Dtype::float16, 2},    {Dtype::int64, 8},
      {Dtype::complex64, 4}, {Dtype::uint8, 1},    {Dtype::complex128, 8}, {Dtype::complex32, 2},
      {Dtype::none, 1},      {Dtype::text, 1},     {Dtype::float8_e5m2, 1}};
  for (const auto& [dtype, planes] : rows) EXPECT_EQ(plane_count(dtype), planes);
}

/// `count` numbers of `width` bytes: 0, step, 2 step, ... in their first byte.
Bytes numbers_of(std::size_t count, std::size_t width, int step) {
  Bytes bytes(count * width);
  for (std::size_t i = 0; i < count; ++i)
    bytes[i * width] = static_cast<std::byte>(static_cast<int>(i) * step);
  return bytes;
}

Bytes halves() {
  Bytes bytes(256);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>(i % 2 == 0 ? i * 7 : 60 + i / 2 % 3);
  return bytes;
}

/// Number i of 4 bytes is (126 + i mod 3) 2^23 + 2 i.
Bytes small_floats() {
  Bytes bytes(512);
  for (std::uint32_t i = 0; i < 128; ++i) {
    const std::uint32_t number = ((126 + i % 3) << 23) + 2 * i;
    std::memcpy(bytes.data() + 4 * i, &number, 4);
  }
  return bytes;
}

/// Number i of 2 bytes is (90 + c mod 5 + 2 r) 2^7, in row r and column c of 64 a row.
Bytes matrix() {
  Bytes bytes(600);
  for (std::uint32_t i = 0; i < 300; ++i) {
    const auto number = static_cast<std::uint16_t>((90 + i % 64 % 5 + i / 64 * 2) << 7);
    std::memcpy(bytes.data() + 2 * i, &number, 2);
  }
  return bytes;
}

/// From checkpoint/PACK.md.
struct Vector {
  const char* hex;
  std::size_t bytes;
  std::function<Bytes()> data;
};

const Vector kVectors[] = {
    {"00070e151c232a31383f464d545b6269100000005353504201040000000001001000000000000000fac2"
     "6ea8a546a55f4af2a5642ca87a29",
     16, [] { return ramp(16); }},
    {"1000000001000001010000010100000100112233445566778899aabbccddeeff00000023000001535350"
     "4201040000000001004000000000000000b7ad47cc76b9a2e2b4a5994f89032dc6",
     64, [] { return numbers_of(16, 4, 17); }},
    {"010000010100000101000001010000010100000101000001010000010100000100000000000000000000"
     "000000000000280000010800000053535042010800000000010008000100000000005d8a512c45750546"
     "52bb3afc2c3fb491",
     65'544, [] { return Bytes(65'544); }},
    {"800000002e000002000e1c2a38465462707e8c9aa8b6c4d2e0eefc0a18263442505e6c7a8896a4b2c0ce"
     "dceaf8061422303e4c5a68768492a0aebccad8e6f402101e2c3a48566472808e9caab8c6d4e2f0fe0c1a"
     "28364452606e7c8a98a6b4c2d0deecfa08162432404e5c6a788694a2b0beccdae8f60412202e3c4a5866"
     "7482909eacbac8d6e4f228b52ffd20802d010002480805f039f222018c31c618638c31c618638c31c618"
     "638c31c618638c31c618638c3100b60000015353504201020000000001000001000000000000661e9c59"
     "22ad512b44e243ee96e69740",
     256, [] { return halves(); }},
    {"7000000320000002010000012e0000020001c18050301c1009c582d1703c2011c98452b15c3019cd86d3"
     "f17c4021d18854329d5029d58ad572bd6031d98c56b3dd7039dd8ed7f3fd0001c18050301c1009c582d1"
     "703c2011c98452b15c3019cd86d3f17c4021d18854329d5029d58ad572bd6031d98c56b3dd7039dd8ed7"
     "f3fd28b52ffd2080bd000002c8048010ffffffffffffffff000000000000000001000028b52ffd20802d"
     "010002480805f039f2bf488c31c618638c31c618638c31c618638c31c618638c31c618638c3100cf0000"
     "025353504201040000000001000002000000000000af17df1ad49f9fe99156e5c6cc2278a7",
     512, [] { return small_floats(); }},
    {"40000000000000005a0100000004080c100004080c100004080c100004080c100004080c100004080c10"
     "0004080c100004080c100004080c100004080c100004080c100004080c100004080c020a121a22010000"
     "010100000100005b0000035353504201020000000001005802000000000000f955682b72bb059ba0d324"
     "037aa16d02",
     600, [] { return matrix(); }},
};

TEST(BlobCodec, VectorsAreRead) {
  for (const Vector& vector : kVectors) {
    const auto raw = bytes_from_hex(vector.hex);
    ASSERT_TRUE(raw) << vector.hex;
    EXPECT_EQ(decoded(*raw, vector.bytes), vector.data()) << vector.hex;
  }
}

TEST(BlobCodec, EveryDamagedByteIsToldOrMeansNothing) {
  const Bytes data = weights(500);
  const Bytes blob = blob_of(data, 4);
  const std::size_t index = blob.size() - 40;
  for (std::size_t i = 0; i < blob.size(); ++i) {
    for (const int flip : {0x01, 0x80, 0xFF}) {
      Bytes damaged = blob;
      damaged[i] ^= static_cast<std::byte>(flip);
      bool told = false;
      try {
        // Within planes the digest of the field tells.
        told = decoded(damaged, data.size()) != data;
      } catch (const Error& error) {
        told = true;
        EXPECT_EQ(error.where(), "here");
      }
      if (i >= index) {
        EXPECT_TRUE(told) << i;
      }
    }
  }
  for (std::size_t size = 0; size < blob.size(); ++size)
    EXPECT_THROW(decoded(Bytes(blob.begin(), blob.begin() + size), data.size()), Error) << size;
}

/// The index of `blob` (one chunk) with a byte changed and its checksum made anew.
Bytes forged(Bytes blob, std::size_t from_end, int value) {
  blob[blob.size() - from_end] = static_cast<std::byte>(value);
  const auto index = std::span(blob).last(40);
  const Digest sum = digest_of_chunk(index.first(24));
  std::memcpy(index.data() + 24, &sum.low, 8);
  std::memcpy(index.data() + 32, &sum.high, 8);
  return blob;
}

std::string error_of(const Bytes& blob, std::uint64_t bytes) {
  try {
    decoded(blob, bytes);
  } catch (const Error& error) {
    return std::string(error.code() == ErrorCode::unsupported ? "unsupported: " : "") +
           error.message();
  }
  return "";
}

TEST(BlobCodec, WhatIsNotKnownIsRefused) {
  const Bytes data = ramp(64), blob = blob_of(data, 4);
  ASSERT_EQ(decoded(forged(blob, 32, 1), 64), data);  // the version that it has
  const std::tuple<std::size_t, int, const char*> rows[] = {
      {32, 2, "unsupported: version 2 of a blob"},
      {31, 3, "unsupported: a blob is made in another"},
      {30, 1, "unsupported: a blob is made in"},
      {28, 9, "unsupported: a blob is made in another"},
      {24, 65, "another length than was"},
      {37, 7, "unsupported: form 7 of a chunk"},
      {40, 63, "not as long as its index says"}};
  for (const auto& [from_end, value, says] : rows)
    EXPECT_THAT(error_of(forged(blob, from_end, value), 64), testing::HasSubstr(says)) << from_end;
  EXPECT_THAT(error_of(blob, 65), testing::HasSubstr("another length"));
}

TEST(BlobCodec, PlanesThatDoNotFitAreRefused) {
  Bytes data(4096);
  for (std::size_t i = 0; i < data.size(); i += 4) data[i] = static_cast<std::byte>(i / 4);
  const Bytes blob = blob_of(data, 4);
  const std::tuple<std::size_t, int, const char*> rows[] = {
      {3, 9, "unsupported: form 9 of a plane"},
      {3, 3, "a packed plane has another length"},
      {4, 2, "a constant plane is not one byte"},
      {1, 255, "does not end inside its frame"},
      {7, 0, "another length than its chunk"}};
  for (const auto& [at, value, says] : rows) {
    Bytes damaged = blob;
    damaged[at] = static_cast<std::byte>(value);
    EXPECT_THAT(error_of(damaged, data.size()), testing::HasSubstr(says)) << at;
  }
}

}  // namespace
}  // namespace samestep
