#include "checkpoint/containers/mapped_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "../foreign.h"
#include "schemas/error.h"

namespace samestep {
namespace {

TEST(MapFile, GivesTheBytesUnderTheNameAskedFor) {
  const TemporaryFolder scratch;
  scratch.write("a", "bytes");
  const FileSlice slice = map_file(scratch / "a", "inside/a");
  EXPECT_EQ(slice.file, "inside/a");
  EXPECT_EQ(slice.bytes.size(), 5u);
  scratch.write("empty", "");
  EXPECT_TRUE(map_file(scratch / "empty", "empty").bytes.empty());
}

TEST(MapFile, OpensNothingButFiles) {
  const TemporaryFolder scratch;
  ASSERT_EQ(::mkfifo((scratch / "pipe").c_str(), 0600), 0);
  for (const std::string& path : {scratch / "pipe", scratch.path(), std::string("/dev/zero")})
    EXPECT_THAT([&] { map_file(path, "named"); },
                testing::ThrowsMessage<Error>(testing::HasSubstr("named: is not a regular file")));
  EXPECT_THROW(map_file(scratch / "nothing", "nothing"), Error);
}

}  // namespace
}  // namespace samestep
