#include "checkpoint/files/forget_pages.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <vector>

#include "../foreign.h"
#include "checkpoint/files/mapped_file.h"
#include "tests/support/mapped_pages.h"

namespace samestep {
namespace {

using testing::mapped_pages;

TEST(ForgetPages, TakesPagesOutAndKeepsTheBytes) {
  const TemporaryFolder scratch;
  scratch.write("big", std::string(1 << 20, 'x'));
  const auto file = MappedFile::open(scratch / "big");
  const auto bytes = file->bytes();
  EXPECT_TRUE(
      std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{'x'}; }));
  const std::size_t before = mapped_pages(bytes);
  if (before == 0) GTEST_SKIP() << "this system does not tell which pages are mapped";
  forget_pages(bytes.subspan(300'000, 100));
  EXPECT_LT(mapped_pages(bytes), before);
  forget_pages(bytes);
  EXPECT_EQ(mapped_pages(bytes), 0u);
  EXPECT_TRUE(
      std::all_of(bytes.begin(), bytes.end(), [](std::byte b) { return b == std::byte{'x'}; }));
}

TEST(ForgetPages, BehindForgetsManyPlacesAtATime) {
  const TemporaryFolder scratch;
  scratch.write("one", std::string(1 << 20, 'x'));
  scratch.write("other", std::string(1 << 20, 'y'));
  const auto one = MappedFile::open(scratch / "one"), other = MappedFile::open(scratch / "other");
  const auto look = [](std::span<const std::byte> bytes) {
    return std::all_of(bytes.begin(), bytes.end(), [&](std::byte b) { return b == bytes[0]; });
  };
  const std::vector<std::byte> heap(1000, std::byte{7});
  {
    ForgetBehind behind(3 * kMappedAtOnce);
    EXPECT_TRUE(look(one->bytes()) && look(other->bytes()) && look(heap));
    if (mapped_pages(one->bytes()) == 0)
      GTEST_SKIP() << "this system does not tell which pages are mapped";
    behind.add(one->bytes().subspan(0, 4));
    behind.add(heap);
    behind.add({});
    behind.add(other->bytes());  // the bound is reached: all three are forgotten
    EXPECT_EQ(mapped_pages(other->bytes()), 0u);
    EXPECT_LT(mapped_pages(one->bytes()),
              (1u << 20) / static_cast<unsigned>(::sysconf(_SC_PAGESIZE)));
    EXPECT_TRUE(look(one->bytes()) && look(other->bytes()) && look(heap));
    behind.add(one->bytes().subspan(900'000));
    behind.add(one->bytes().subspan(0, 4));
    EXPECT_GT(mapped_pages(one->bytes()), 0u);
  }
  EXPECT_EQ(mapped_pages(one->bytes()), 0u) << "between two places too, at the end";
}

TEST(ForgetPages, LeavesOtherMemoryAlone) {
  std::vector<std::byte> heap(1 << 20, std::byte{7});
  forget_pages(heap);
  EXPECT_TRUE(std::all_of(heap.begin(), heap.end(), [](std::byte b) { return b == std::byte{7}; }));
  void* base = ::mmap(nullptr, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const std::span<std::byte> mapped(static_cast<std::byte*>(base), 1 << 20);
  std::fill(mapped.begin(), mapped.end(), std::byte{7});
  forget_pages(mapped);
  EXPECT_TRUE(
      std::all_of(mapped.begin(), mapped.end(), [](std::byte b) { return b == std::byte{7}; }));
  ::munmap(base, 1 << 20);
  forget_pages({});
}

TEST(ForgetPages, KnowsWhenAMappingEnded) {
  const TemporaryFolder scratch;
  scratch.write("file", std::string(1 << 20, 'x'));
  std::span<const std::byte> bytes;
  {
    const auto file = MappedFile::open(scratch / "file");
    bytes = file->bytes();
  }
  void* base = ::mmap(const_cast<std::byte*>(bytes.data()), bytes.size(), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (base == MAP_FAILED) GTEST_SKIP() << "the address was taken again";
  *static_cast<std::byte*>(base) = std::byte{7};
  forget_pages(bytes);
  EXPECT_EQ(*static_cast<std::byte*>(base), std::byte{7});
  ::munmap(base, bytes.size());
}

}  // namespace
}  // namespace samestep
