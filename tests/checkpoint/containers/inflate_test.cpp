#include "checkpoint/containers/inflate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checkpoint/containers/byte_reader.h"
#include "tests/checkpoint/error_text.h"
#include "tests/checkpoint/foreign.h"
#include "tests/checkpoint/zip_writer.h"

namespace samestep {
namespace {

using foreign::error_text;
using foreign::slice_of;
using testing::HasSubstr;

std::string inflated(const std::string& stream, std::uint64_t bytes) {
  std::string text;
  inflate(slice_of(stream), bytes, [&](std::span<const std::byte> piece) {
    text += characters(piece);
    return true;
  });
  return text;
}

TEST(Inflate, GivesBackWhatWasDeflated) {
  for (const std::size_t size : {0u, 1u, 65536u, 65537u, 200000u}) {
    std::string text(size, 'x');
    for (std::size_t i = 0; i < size; i += 7) text[i] = static_cast<char>(i);
    EXPECT_EQ(inflated(foreign::deflated(text), size), text) << size;
  }
}

TEST(Inflate, NeverGivesMoreThanTheEntryClaims) {
  const std::string stream = foreign::deflated(std::string(1 << 20, 'x'));
  std::uint64_t given = 0;
  const auto call = [&] {
    inflate(slice_of(stream), 24, [&](std::span<const std::byte> piece) {
      given += piece.size();
      return true;
    });
  };
  EXPECT_THAT(error_text(call), HasSubstr("longer than their entry says"));
  EXPECT_LE(given, 24u);
}

TEST(Inflate, RefusesShortCutAndDamagedStreams) {
  const std::string stream = foreign::deflated("hello hello hello hello");
  EXPECT_THAT(error_text([&] { inflated(stream, 24); }), HasSubstr("shorter"));
  EXPECT_THAT(error_text([&] { inflated(stream.substr(0, stream.size() - 1), 23); }),
              HasSubstr("damaged or cut"));
  EXPECT_THAT(error_text([&] { inflated("", 1); }), HasSubstr("damaged or cut"));
  EXPECT_THAT(error_text([&] { inflated("\xff\xff\xff", 3); }), HasSubstr("damaged or cut"));
}

TEST(Inflate, StopsWhenNobodyWantsMore) {
  int pieces = 0;
  inflate(slice_of(foreign::deflated(std::string(1 << 20, 'x'))), 1 << 20,
          [&](std::span<const std::byte>) {
            ++pieces;
            return false;
          });
  EXPECT_EQ(pieces, 1);
}

TEST(Crc32, IsTheOneOfZipFiles) {
  const std::string check = "123456789";
  const auto bytes = std::as_bytes(std::span<const char>(check));
  EXPECT_EQ(crc32_of(bytes), 0xCBF43926u);
  EXPECT_EQ(crc32_of(bytes.subspan(4), crc32_of(bytes.first(4))), 0xCBF43926u);
  EXPECT_EQ(crc32_of({}), 0u);
}

}  // namespace
}  // namespace samestep
