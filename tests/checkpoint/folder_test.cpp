#include "checkpoint/folder.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>

#include "foreign.h"
#include "schemas/error.h"

namespace samestep {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> paths_of(const Folder& folder) {
  std::vector<std::string> paths;
  for (const FolderFile& file : folder.files()) paths.push_back(file.path);
  return paths;
}

TEST(Folder, ListsRegularFilesSorted) {
  const TemporaryFolder scratch;
  for (const char* name : {"b.pt", "a/c.pt", "a/d/e.pt", ".metadata"}) scratch.write(name, name);
  const Folder folder(scratch.path());
  EXPECT_THAT(paths_of(folder), testing::ElementsAre(".metadata", "a/c.pt", "a/d/e.pt", "b.pt"));
  EXPECT_TRUE(folder.has("a/c.pt"));
  EXPECT_FALSE(folder.has("a"));
  EXPECT_TRUE(folder.has_below("a"));
  EXPECT_FALSE(folder.has_below("b"));
  const FileSlice slice = folder.open("a/c.pt");
  EXPECT_EQ(slice.file, "a/c.pt");
  EXPECT_EQ(slice.bytes.size(), 6u);
}

TEST(Folder, NeverListsWhatIsNoFile) {
  const TemporaryFolder scratch;
  scratch.write("a.pt", "x");
  ASSERT_EQ(::mkfifo((scratch / "pipe").c_str(), 0600), 0);
  const Folder folder(scratch.path());
  EXPECT_THAT(paths_of(folder), testing::ElementsAre("a.pt"));
  EXPECT_THAT(folder.notes(), testing::ElementsAre(testing::HasSubstr("pipe")));
  EXPECT_THROW(folder.open("pipe"), Error);
}

TEST(Folder, FollowsLinksThatStayInside) {
  const TemporaryFolder scratch;
  scratch.write("blobs/1", "abc");
  fs::create_symlink("blobs/1", scratch / "model.pt");
  const Folder folder(scratch.path());
  EXPECT_THAT(paths_of(folder), testing::ElementsAre("blobs/1", "model.pt"));
  EXPECT_EQ(folder.open("model.pt").bytes.size(), 3u);
}

TEST(Folder, RefusesLinksThatLeave) {
  const TemporaryFolder outside, scratch;
  outside.write("secret", "abc");
  scratch.write("a.pt", "x");
  fs::create_symlink(outside / "secret", scratch / "model.pt");
  fs::create_symlink(outside.path(), scratch / "more");
  const Folder folder(scratch.path());
  EXPECT_THAT(paths_of(folder), testing::ElementsAre("a.pt"));
  EXPECT_EQ(folder.notes().size(), 2u);
  EXPECT_THAT([&] { folder.open("model.pt"); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("leaves")));
  EXPECT_THAT([&] { folder.open("more/secret"); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("leaves")));
}

TEST(Folder, RefusesPathsThatClimb) {
  const TemporaryFolder scratch;
  scratch.write("a.pt", "x");
  const Folder folder(scratch.path());
  const std::string climbing = "../" + fs::path(scratch.path()).filename().string() + "/a.pt";
  for (const std::string& path :
       {climbing, std::string("/etc/passwd"), std::string(".."), std::string(""),
        std::string("./a.pt"), std::string("b//a.pt"), std::string("a.pt\0", 5)})
    EXPECT_THAT([&] { folder.open(path, "index"); },
                testing::ThrowsMessage<Error>(testing::HasSubstr("outside")))
        << path;
  EXPECT_THROW(folder.open("missing.pt"), Error);
}

TEST(Folder, EndsOnCycles) {
  const TemporaryFolder scratch;
  scratch.write("a/b.pt", "x");
  fs::create_symlink(".", scratch / "a/self");
  fs::create_symlink("..", scratch / "a/up");
  fs::create_symlink("loop", scratch / "loop");
  const Folder folder(scratch.path());
  EXPECT_THAT(paths_of(folder), testing::ElementsAre("a/b.pt"));
  EXPECT_EQ(folder.notes().size(), 3u);
}

TEST(Folder, BoundsDepth) {
  const TemporaryFolder scratch;
  std::string deep;
  for (int i = 0; i < kFolderDepthMax + 4; ++i) deep += "d/";
  scratch.write(deep + "a.pt", "x");
  scratch.write("b.pt", "x");
  const Folder folder(scratch.path());
  EXPECT_THAT(paths_of(folder), testing::ElementsAre("b.pt"));
  EXPECT_THAT(folder.notes(), testing::ElementsAre(testing::HasSubstr("too deeply")));
}

TEST(Folder, SaysThatNothingIsThere) { EXPECT_THROW(Folder("/nowhere/at/all"), Error); }

TEST(Folder, SplitsPaths) {
  EXPECT_EQ(file_name("a/b.pt"), "b.pt");
  EXPECT_EQ(file_name("b.pt"), "b.pt");
  EXPECT_EQ(folder_name("a/b/c"), "a/b");
  EXPECT_EQ(folder_name("c"), "");
  EXPECT_EQ(join_path("", "c"), "c");
  EXPECT_EQ(join_path("a", "c"), "a/c");
}

}  // namespace
}  // namespace samestep
