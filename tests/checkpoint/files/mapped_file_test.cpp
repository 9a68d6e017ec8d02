// Regular files are mapped; everything else is refused without being read, and without waiting.
#include "checkpoint/files/mapped_file.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "../byte_helpers.h"
#include "checkpoint/files/folder.h"
#include "schemas/error.h"
#include "tests/support/temporary_folder.h"

namespace samestep {
namespace {

ErrorCode refusal(const std::string& path) {
  try {
    MappedFile::open(path);
  } catch (const Error& error) {
    EXPECT_EQ(error.where(), path);
    return error.code();
  }
  ADD_FAILURE() << path << " was mapped";
  return ErrorCode::failed;
}

TEST(MappedFile, ShowsTheBytesOfAFile) {
  const TemporaryFolder folder;
  put_file(folder / "file", "hello");
  const auto file = MappedFile::open(folder / "file");
  EXPECT_EQ(std::vector(file->bytes().begin(), file->bytes().end()), bytes_of("hello"));
  EXPECT_EQ(file->path(), folder / "file");
}

TEST(MappedFile, AnEmptyFileIsNoBytes) {
  const TemporaryFolder folder;
  put_file(folder / "file", "");
  EXPECT_TRUE(MappedFile::open(folder / "file")->bytes().empty());
}

TEST(MappedFile, OutlivesTheNameOfTheFile) {
  const TemporaryFolder folder;
  put_file(folder / "file", "hello");
  const auto file = MappedFile::open(folder / "file");
  remove_tree(folder / "file");
  EXPECT_EQ(file->bytes()[4], std::byte{'o'});
}

TEST(MappedFile, WhatIsNoRegularFileIsRefused) {
  const TemporaryFolder folder;
  EXPECT_EQ(refusal(folder / "nothing"), ErrorCode::not_found);
  EXPECT_EQ(refusal(folder.path()), ErrorCode::unreadable);
  EXPECT_EQ(refusal("/dev/zero"), ErrorCode::unreadable);
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  EXPECT_EQ(refusal(folder / "fifo"), ErrorCode::unreadable);
  const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  (folder / "socket").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(refusal(folder / "socket"), ErrorCode::unreadable);
}

}  // namespace
}  // namespace samestep
