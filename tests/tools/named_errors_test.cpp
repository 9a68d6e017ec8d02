#include "tools/named_errors.h"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace samestep {
namespace {

std::string place(const std::string& where, const std::string& path) {
  return named(Error(ErrorCode::corrupt, "m", where, "r"), path).where();
}

TEST(NamedErrorsTest, APlaceInsideAFileBeginsWithItsPath) {
  EXPECT_EQ(place("a.pt", "out/a.pt"), "out/a.pt");
  EXPECT_EQ(place("a.pt, byte 7", "out/a.pt"), "out/a.pt, byte 7");
  EXPECT_EQ(place("", "out/a.pt"), "out/a.pt");
  EXPECT_EQ(place("data/3", "out/a.pt"), "out/a.pt: data/3");
  EXPECT_EQ(place("a.pt2", "out/a.pt"), "out/a.pt: a.pt2");
}

TEST(NamedErrorsTest, APlaceInsideAFolderIsBelowItsPath) {
  const TemporaryFolder folder;
  const std::string path = folder.path();
  EXPECT_EQ(place("b.pt, byte 7", path), path + "/b.pt, byte 7");
  EXPECT_EQ(place("b.pt", path + "/"), path + "/b.pt");
  EXPECT_EQ(place("etc", "/"), "/etc");
  EXPECT_EQ(place("/real/out", path), "/real/out") << "a reader that follows links says so";
}

TEST(NamedErrorsTest, APathThatIsThereStays) {
  EXPECT_EQ(place("out/a.pt: not a file", "out/a.pt"), "out/a.pt: not a file");
  EXPECT_EQ(place("run/.samestep/captures/4", "run"), "run/.samestep/captures/4");
}

TEST(NamedErrorsTest, TheRestIsKeptAndResultsPass) {
  EXPECT_EQ(read_named("a", [] { return 3; }), 3);
  try {
    read_named("out/a.pt",
               []() -> int { throw Error(ErrorCode::limit, "too much", "a.pt", "do x"); });
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::limit);
    EXPECT_STREQ(error.what(), "out/a.pt: too much; do x");
  }
}

}  // namespace
}  // namespace samestep
