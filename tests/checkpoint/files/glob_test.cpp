#include "checkpoint/files/glob.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "../byte_helpers.h"
#include "checkpoint/files/folder.h"
#include "schemas/error.h"
#include "tests/support/temporary_folder.h"

namespace samestep {
namespace {

class GlobTest : public testing::Test {
 protected:
  GlobTest() {
    for (const char* path : {"checkpoint-2", "checkpoint-10", "runs/a/state", "runs/b"})
      make_folders(folder / path);
    for (const char* path : {"last.pt", ".hidden.pt", "checkpoint-2/model.pt",
                             "runs/a/state/model.pt", "runs/b/model.pt"}) {
      put_file(folder / path, "x");
    }
    EXPECT_EQ(::symlink("checkpoint-10", (folder / "latest").c_str()), 0);
  }
  TemporaryFolder folder;
};

TEST_F(GlobTest, FindsWhatMatches) {
  using Paths = std::vector<std::string>;
  const std::pair<const char*, Paths> cases[] = {
      {"last.pt", {"last.pt"}},
      {"./last.pt", {"last.pt"}},
      {"*.pt", {"last.pt"}},
      {".*.pt", {".hidden.pt"}},
      {"checkpoint-*", {"checkpoint-10", "checkpoint-2"}},
      {"checkpoint-?", {"checkpoint-2"}},
      {"checkpoint-[0-9]*/", {"checkpoint-10", "checkpoint-2"}},
      {"*/model.pt", {"checkpoint-2/model.pt"}},
      {"latest", {"latest"}},
      {"latest/*", {}},
      {"runs/*/model.pt", {"runs/b/model.pt"}},
      {"**/model.pt", {"checkpoint-2/model.pt", "runs/a/state/model.pt", "runs/b/model.pt"}},
      {"runs/**/model.pt", {"runs/a/state/model.pt", "runs/b/model.pt"}},
      {"runs/**", {"runs/a", "runs/a/state", "runs/a/state/model.pt", "runs/b", "runs/b/model.pt"}},
      {"nothing*", {}},
      {"last.pt/x", {}},
  };
  for (const auto& [pattern, expected] : cases)
    EXPECT_EQ(find_matches(folder.path(), pattern), expected) << pattern;
}

TEST_F(GlobTest, RefusesPatternsThatLeaveTheFolder) {
  for (const char* pattern : {"", "/etc/*", "../x", "a/../b", "./"}) {
    EXPECT_THROW(find_matches(folder.path(), pattern), Error) << pattern;
    EXPECT_THROW(check_glob(pattern), Error) << pattern;
  }
}

TEST_F(GlobTest, APatternBelowTheFolderIsSound) {
  for (const char* pattern : {"checkpoint-*", "./a", "a..b/*", "**"}) {
    EXPECT_NO_THROW(check_glob(pattern)) << pattern;
  }
}

TEST_F(GlobTest, ABaseThatDoesNotExistMatchesNothing) {
  EXPECT_TRUE(find_matches(folder / "nothing", "*").empty());
}

}  // namespace
}  // namespace samestep
