// A file written in parts: whole under a name of its own, or not there.
#include "checkpoint/files/pack_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cstring>
#include <random>
#include <thread>

#include "checkpoint/files/folder.h"
#include "limits.h"
#include "schemas/error.h"
#include "tests/checkpoint/byte_helpers.h"
#include "tests/support/temporary_folder.h"

namespace samestep {
namespace {

class PackFileTest : public testing::Test {
 protected:
  std::function<std::string(int)> names() const {
    return [this](int n) { return folder / (std::to_string(n) + ".pack"); };
  }
  std::vector<std::string> files() const {
    std::vector<std::string> list;
    for (const Entry& entry : list_folder(folder.path())) list.push_back(entry.path);
    return list;
  }
  TemporaryFolder folder;
};

TEST_F(PackFileTest, PartsComeInAnyOrder) {
  PackFile file(names());
  std::thread other([&] { file.write_at(5, bytes_of("world")); });
  file.write_at(0, bytes_of("hello"));
  other.join();
  EXPECT_THAT(files(), testing::ElementsAre(".0.pack.part"));
  file.commit();
  EXPECT_THAT(files(), testing::ElementsAre("0.pack"));
  EXPECT_EQ(file_text(folder / "0.pack"), "helloworld");
}

TEST_F(PackFileTest, ANameThatIsTakenIsLeftAlone) {
  put_file(folder / "0.pack", "first");
  put_file(folder / ".1.pack.part", "of a killed writer");
  PackFile file(names()), another(names());
  EXPECT_EQ(file.number(), 2);
  EXPECT_EQ(another.number(), 3);
  another.write_at(0, bytes_of("another"));
  another.commit();
  file.commit();
  EXPECT_EQ(file_text(folder / "0.pack"), "first");
  EXPECT_EQ(file_text(folder / "3.pack"), "another");
}

std::vector<std::byte> noise(std::size_t size) {
  std::mt19937 random(5);
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() & 255);
  return bytes;
}

TEST_F(PackFileTest, LongPartsThatMeetWithinABlockComeTogether) {
  const auto whole = noise(5'000'000);
  // Some long, some short, none at the begin of a block; several threads, each every third part.
  const std::size_t cuts[] = {0,         16,        1'000'001, 1'000'300, 1'700'000,
                              3'100'007, 3'100'008, 4'500'000, 5'000'000};
  PackFile file(names());
  std::vector<std::thread> threads;
  for (std::size_t first = 0; first < 3; ++first) {
    threads.emplace_back([&, first] {
      for (std::size_t i = first; i + 1 < std::size(cuts); i += 3)
        file.write_at(cuts[i], std::span(whole).subspan(cuts[i], cuts[i + 1] - cuts[i]));
    });
  }
  for (std::thread& thread : threads) thread.join();
  file.commit();
  const std::string text = file_text(folder / "0.pack");
  ASSERT_EQ(text.size(), whole.size());
  EXPECT_EQ(std::memcmp(text.data(), whole.data(), text.size()), 0);
}

TEST_F(PackFileTest, ALongFileOnAFullDiskIsTold) {
  const FileSizeLimit limit(3'000'000);
  PackFile file(names());
  file.write_at(0, noise(2'000'000));
  EXPECT_THROW(file.write_at(2'000'000, noise(2'000'000)), Error);
}

TEST_F(PackFileTest, WhatWasReservedAndNotUsedIsGivenBack) {
  PackFile file(names());
  file.write_at(0, noise(1'000'000));
  file.commit();
  struct stat status = {};
  ASSERT_EQ(::stat((folder / "0.pack").c_str(), &status), 0);
  EXPECT_EQ(status.st_size, 1'000'000);
  EXPECT_LT(status.st_blocks * 512, 2'000'000);
}

TEST_F(PackFileTest, WithoutCommitNothingIsLeft) {
  { PackFile(names()).write_at(0, bytes_of("x")); }
  EXPECT_TRUE(files().empty());
}

TEST_F(PackFileTest, AFullDiskIsTold) {
  const FileSizeLimit limit(100'000);
  PackFile file(names());
  EXPECT_THROW(file.write_at(50'000, std::vector<std::byte>(100'000)), Error);
}

TEST_F(PackFileTest, AFolderThatIsNotThereIsTold) {
  EXPECT_THROW(PackFile([this](int) { return folder / "none/0.pack"; }), Error);
}

}  // namespace
}  // namespace samestep
