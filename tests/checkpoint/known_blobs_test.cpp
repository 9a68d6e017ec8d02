// What a run holds is found by digest; long blobs are recognised by their first chunk.
#include "checkpoint/known_blobs.h"

#include <gtest/gtest.h>

namespace samestep {
namespace {

TEST(KnownBlobs, TheFirstPlaceOfADigestStays) {
  KnownBlobs blobs;
  EXPECT_EQ(blobs.find({1, 2}), nullptr);
  blobs.add({1, 2}, {}, {"4/a.pack", 64, 10, "raw"});
  blobs.add({1, 2}, {}, {"8/b.pack", 128, 10, "raw"});
  ASSERT_NE(blobs.find({1, 2}), nullptr);
  EXPECT_EQ(blobs.find({1, 2})->pack, "4/a.pack");
}

TEST(KnownBlobs, OnlyLongOnesHaveABegin) {
  KnownBlobs blobs;
  blobs.add({1, 1}, {{7, 7}}, {"4/a.pack", 64, 10, "raw"});
  EXPECT_FALSE(blobs.has_long_ones());
  EXPECT_FALSE(blobs.may_begin_with({7, 7}));
  blobs.add({2, 2}, {{8, 8}, {9, 9}}, {"4/a.pack", 64, 10, "raw"});
  EXPECT_TRUE(blobs.has_long_ones());
  EXPECT_TRUE(blobs.may_begin_with({8, 8}));
  EXPECT_FALSE(blobs.may_begin_with({9, 9}));
}

TEST(KnownBlobs, ACaptureAddsWhatItHolds) {
  CaptureRank capture;
  capture.blobs[{1, 1}] = {"4/a.pack", 64, 10, "raw"};
  capture.blobs[{2, 2}] = {"4/a.pack", 128, 10, "planes"};
  capture.chunks[{2, 2}] = {{8, 8}, {9, 9}};
  capture.chunks[{3, 3}] = {{5, 5}, {6, 6}};  // its bytes were not kept
  KnownBlobs blobs;
  blobs.add(capture);
  EXPECT_EQ(blobs.find({2, 2})->codec, "planes");
  EXPECT_TRUE(blobs.may_begin_with({8, 8}));
  EXPECT_FALSE(blobs.may_begin_with({5, 5}));
  EXPECT_EQ(blobs.find({3, 3}), nullptr);
}

}  // namespace
}  // namespace samestep
