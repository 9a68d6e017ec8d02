#include "tools/nearest.h"

#include <gtest/gtest.h>

namespace samestep {
namespace {

TEST(NearestTest, AMistypedWordIsFound) {
  const std::vector<std::string> verbs{"inspect", "verify", "diff", "gate", "audit"};
  for (const char* word : {"adit", "audti", "auddit", "aud", "Audit"}) {
    EXPECT_EQ(nearest(word, verbs), "audit") << word;
  }
  EXPECT_EQ(nearest("inpsetc", verbs), "inspect");
  EXPECT_EQ(nearest("insp", verbs), "inspect");
  EXPECT_EQ(nearest("fate", verbs), "gate");
  for (const char* word : {"", "x", "train", "check", "di"}) EXPECT_EQ(nearest(word, verbs), "");
  EXPECT_EQ(nearest(std::string(1000, 'a'), verbs), "");
}

TEST(NearestTest, OfTwoTheNearerIsSaid) {
  EXPECT_EQ(nearest("--htm", {"--junit", "--html"}), "--html");
  EXPECT_EQ(nearest("--sets", {"--at", "--steps"}), "--steps");
}

}  // namespace
}  // namespace samestep
