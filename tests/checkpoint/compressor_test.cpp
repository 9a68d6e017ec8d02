// Frames: what goes in comes out, and damage is told.
#include "checkpoint/compressor.h"

#include <gtest/gtest.h>

#include "byte_helpers.h"
#include "schemas/error.h"

namespace samestep {
namespace {

TEST(Compressor, WhatGoesInComesOut) {
  for (const std::size_t size : {0UL, 1UL, 1000UL, 300'000UL}) {
    const auto bytes = ramp(size);
    EXPECT_EQ(decompress(compress(bytes), size, "here"), bytes) << size;
  }
}

TEST(Compressor, AnotherLengthThanExpectedIsRefusedBeforeAllocation) {
  const auto frame = compress(ramp(100));
  EXPECT_THROW(decompress(frame, 99, "here"), Error);
  EXPECT_THROW(decompress(frame, std::uint64_t{1} << 60, "here"), Error);
}

TEST(Compressor, EveryDamagedByteIsSeen) {
  const auto bytes = ramp(200);
  const auto frame = compress(bytes);
  for (std::size_t i = 0; i < frame.size(); ++i) {
    auto damaged = frame;
    damaged[i] ^= std::byte{0x55};
    try {
      EXPECT_EQ(decompress(damaged, 200, "here"), bytes)
          << "byte " << i;  // a bit that means nothing
    } catch (const Error& error) {
      EXPECT_EQ(error.where(), "here");
    }
  }
  EXPECT_THROW(decompress(bytes, 200, "here"), Error);
  EXPECT_THROW(decompress({}, 0, "here"), Error);
}

TEST(Compressor, FramesAreReadAsFarAsTheyAreWhole) {
  auto log = compress(bytes_of("first\n"));
  const std::size_t first = log.size();
  const auto second = compress(bytes_of("second\n"));
  log.insert(log.end(), second.begin(), second.end());
  for (std::size_t size = 0; size <= log.size(); ++size) {
    const Frames frames = decompress_frames(std::span(log).first(size), "log");
    EXPECT_EQ(frames.text, size < first        ? ""
                           : size < log.size() ? "first\n"
                                               : "first\nsecond\n")
        << size;
    EXPECT_EQ(frames.whole, size == 0 || size == first || size == log.size()) << size;
  }
}

TEST(Compressor, ALogIsBounded) {
  const auto frame = compress(std::vector<std::byte>(10'000));
  EXPECT_THROW(decompress_frames(frame, "log", 9'999), Error);
  EXPECT_EQ(decompress_frames(frame, "log", 10'000).text.size(), 10'000U);
}

TEST(Compressor, ADamagedFrameOfALogIsTold) {
  auto log = compress(bytes_of("a line of the log, long enough to be damaged\n"));
  log[log.size() - 6] ^= std::byte{1};
  EXPECT_THROW(decompress_frames(log, "log"), Error);
}

}  // namespace
}  // namespace samestep
