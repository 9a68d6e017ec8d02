// A batch gives what each field gives alone, however its work is cut.
#include "checkpoint/hasher_batch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "byte_helpers.h"
#include "checkpoint/hasher.h"
#include "schemas/error.h"

namespace samestep {
namespace {

/// The tree as one thread makes it, a small piece at a time.
DigestTree alone(std::span<const std::byte> bytes, std::span<const std::int64_t> shape) {
  Hasher hasher;
  for (std::size_t at = 0; at < bytes.size(); at += 50'000)
    hasher.update(bytes.subspan(at, std::min<std::size_t>(50'000, bytes.size() - at)));
  return hasher.finish(Dtype::uint8, shape);
}

void expect_equal(const DigestTree& got, const DigestTree& want, const std::string& where) {
  EXPECT_EQ(got.root, want.root) << where;
  EXPECT_EQ(got.chunks, want.chunks) << where;
  EXPECT_EQ(got.bytes, want.bytes) << where;
}

void expect_as_alone(const std::vector<std::size_t>& sizes, const std::string& name) {
  const std::size_t most = sizes.empty() ? 0 : *std::ranges::max_element(sizes);
  const auto bytes = ramp(most + 7);
  std::vector<std::int64_t> shapes(sizes.begin(), sizes.end());
  std::vector<DigestJob> jobs;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    jobs.push_back({std::span(bytes).subspan(i % 8, sizes[i]), nullptr, Dtype::uint8,
                    std::span(shapes).subspan(i, 1)});
  }
  const auto trees = digests_of(jobs);
  const auto roots = roots_of(jobs);
  ASSERT_EQ(trees.size(), sizes.size());
  ASSERT_EQ(roots.size(), sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    expect_equal(trees[i], alone(jobs[i].memory, jobs[i].shape), name + " " + std::to_string(i));
    EXPECT_EQ(roots[i], trees[i].root) << name << " " << i;
  }
}

TEST(HasherBatch, GivesWhatEachFieldGivesAlone) {
  expect_as_alone({}, "nothing");
  expect_as_alone({0}, "an empty one");
  expect_as_alone({0, 0, 1, 0}, "empty ones around");
  expect_as_alone({65535, 65536, 65537, 0, 131072}, "edges of chunks");
  expect_as_alone({9 << 20, 3, 5 << 20, 0}, "large ones between small");
  expect_as_alone(std::vector<std::size_t>(20'000, 300), "many small");
  expect_as_alone({(512 << 10) - 512, 70'000, 512 << 10, 65536}, "cuts at the ends of fields");
}

TEST(HasherBatch, RandomSizes) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    std::mt19937 random(seed);
    std::vector<std::size_t> sizes;
    for (std::size_t total = 0; total < (6 << 20);) {
      const std::size_t range = std::size_t{1} << random() % 22;
      sizes.push_back(random() % range);
      total += sizes.back() + 1000;
    }
    expect_as_alone(sizes, "seed " + std::to_string(seed));
  }
}

TEST(HasherBatch, AFieldThatDoesNotLieInOnePieceIsStreamed) {
  const auto bytes = ramp(1500 * 1000);
  const std::vector<std::int64_t> shape = {1000, 1500};
  const auto strided = tensor_bytes(view_of(bytes, Dtype::uint8, shape, {1, 1000}), nullptr);
  const auto plain = tensor_bytes(view_of(bytes, Dtype::uint8, {1'500'000}, {1}), nullptr);
  ASSERT_TRUE(strided->contiguous().empty());
  const std::vector<std::int64_t> flat = {1'500'000};
  const std::vector<DigestJob> jobs = {{{}, strided.get(), Dtype::uint8, shape},
                                       {{}, plain.get(), Dtype::uint8, flat},
                                       {{}, strided.get(), Dtype::uint8, shape}};
  const auto trees = digests_of(jobs);
  expect_equal(trees[0], alone(streamed(*strided), shape), "strided");
  expect_equal(trees[1], alone(bytes, flat), "plain");
  expect_equal(trees[2], trees[0], "again");
}

class Unreadable final : public FieldBytes {
 public:
  std::uint64_t size() const override { return 4 << 20; }
  void stream(const ByteSink&) const override {
    throw Error(ErrorCode::unreadable, "gone", "file");
  }
};

TEST(HasherBatch, WhatAFieldThrowsIsThrown) {
  const Unreadable gone;
  const auto bytes = ramp(5 << 20);
  const std::vector<DigestJob> jobs = {{bytes, nullptr, Dtype::uint8, {}},
                                       {{}, &gone, Dtype::uint8, {}}};
  EXPECT_THROW(digests_of(jobs), Error);
}

}  // namespace
}  // namespace samestep
