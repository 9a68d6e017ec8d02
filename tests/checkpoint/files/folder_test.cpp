#include "checkpoint/files/folder.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../byte_helpers.h"
#include "schemas/error.h"
#include "tests/support/temporary_folder.h"

namespace samestep {
namespace {

using testing::ElementsAre;

TEST(Folder, PathsComeApart) {
  const std::array<const char*, 3> cases[] = {
      {"a/b/c", "a/b", "c"}, {"c", ".", "c"},    {"/c", "/", "c"},
      {"/a/b/", "/a", "b"},  {"a//b", "a", "b"},
  };
  for (const auto& [path, folder, name] : cases) {
    EXPECT_EQ(folder_of(path), folder) << path;
    EXPECT_EQ(name_of(path), name) << path;
  }
}

TEST(Folder, ListsWhatIsThereSorted) {
  const TemporaryFolder folder;
  make_folders(folder / "b/inner");
  put_file(folder / "c", "");
  put_file(folder / "b/inner/deep", "");
  ASSERT_EQ(::symlink("b", (folder / "a").c_str()), 0);
  ASSERT_EQ(::mkfifo((folder / "d").c_str(), 0600), 0);
  EXPECT_THAT(list_folder(folder.path()),
              ElementsAre(Entry{"a", EntryKind::link}, Entry{"b", EntryKind::folder},
                          Entry{"c", EntryKind::file}, Entry{"d", EntryKind::other}));
  EXPECT_THAT(
      list_tree(folder.path()),
      ElementsAre(Entry{"a", EntryKind::link}, Entry{"b", EntryKind::folder},
                  Entry{"b/inner", EntryKind::folder}, Entry{"b/inner/deep", EntryKind::file},
                  Entry{"c", EntryKind::file}, Entry{"d", EntryKind::other}));
  EXPECT_THROW(list_tree(folder.path(), 5), Error);
  EXPECT_THROW(list_folder(folder / "nothing"), Error);
}

TEST(Folder, KindsFollowLinks) {
  const TemporaryFolder folder;
  put_file(folder / "file", "");
  ASSERT_EQ(::symlink("file", (folder / "link").c_str()), 0);
  EXPECT_TRUE(is_regular_file(folder / "link"));
  EXPECT_FALSE(is_folder(folder / "link"));
  EXPECT_TRUE(is_folder(folder.path()));
  EXPECT_FALSE(is_folder(folder / "nothing"));
}

TEST(Folder, AFileInTheWayIsTold) {
  const TemporaryFolder folder;
  put_file(folder / "file", "");
  EXPECT_THROW(make_folders(folder / "file/inner"), Error);
  make_folders(folder.path());
}

TEST(Folder, RemovesAndDoesNotFollowLinks) {
  const TemporaryFolder folder;
  make_folders(folder / "kept");
  put_file(folder / "kept/file", "x");
  make_folders(folder / "gone");
  ASSERT_EQ(::symlink((folder / "kept").c_str(), (folder / "gone/link").c_str()), 0);
  remove_tree(folder / "gone");
  remove_tree(folder / "gone");
  EXPECT_FALSE(is_folder(folder / "gone"));
  EXPECT_EQ(file_text(folder / "kept/file"), "x");
}

TEST(Folder, SyncsAFolderAndTellsOfNone) {
  const TemporaryFolder folder;
  sync_folder(folder.path());
  EXPECT_THROW(sync_folder(folder / "nothing"), Error);
}

}  // namespace
}  // namespace samestep
