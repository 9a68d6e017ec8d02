#include "checkpoint/containers/mapped_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "../foreign.h"
#include "schemas/error.h"

namespace samestep {
namespace {

TEST(MapFile, GivesTheBytesUnderTheNameAskedFor) {
  const foreign::Scratch scratch;
  scratch.write("a", "bytes");
  const FileSlice slice = map_file(scratch.path() / "a", "inside/a");
  EXPECT_EQ(slice.file, "inside/a");
  EXPECT_EQ(slice.bytes.size(), 5u);
  scratch.write("empty", "");
  EXPECT_TRUE(map_file(scratch.path() / "empty", "empty").bytes.empty());
}

TEST(MapFile, OpensNothingButFiles) {
  const foreign::Scratch scratch;
  ASSERT_EQ(::mkfifo((scratch.path() / "pipe").c_str(), 0600), 0);
  for (const std::string& path :
       {(scratch.path() / "pipe").string(), scratch.path().string(), std::string("/dev/zero")})
    EXPECT_THAT([&] { map_file(path, "named"); },
                testing::ThrowsMessage<Error>(testing::HasSubstr("named: is not a regular file")));
  EXPECT_THROW(map_file(scratch.path() / "nothing", "nothing"), Error);
}

}  // namespace
}  // namespace samestep
