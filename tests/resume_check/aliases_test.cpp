#include "resume_check/aliases.h"

#include <gtest/gtest.h>

#include "tests/resume_check/fixture.h"

namespace samestep {
namespace {

using testing::ramp;
using testing::State;

State pair(std::int64_t first, std::int64_t second) {
  return State()
      .parameter("model/embed", ramp(8, 1))
      .storage(first)
      .parameter("model/head", ramp(8, 1))
      .storage(second);
}

TEST(Aliases, ATieThatIsLostIsSeen) {
  const auto changes = alias_changes(pair(1, 1).tree(), pair(1, 2).tree(), pair(5, 5).tree());
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_EQ(changes[0].second.text(), "model/head");
  EXPECT_TRUE(changes[0].tied_before);
  EXPECT_TRUE(changes[0].tied_in_file);
}

TEST(Aliases, ATieThatIsNewIsSeen) {
  const auto changes = alias_changes(pair(1, 2).tree(), pair(3, 3).tree(), pair(5, 6).tree());
  ASSERT_EQ(changes.size(), 1u);
  EXPECT_FALSE(changes[0].tied_before);
  EXPECT_FALSE(changes[0].tied_in_file);
}

TEST(Aliases, EqualSharingIsNone) {
  EXPECT_TRUE(alias_changes(pair(1, 1).tree(), pair(7, 7).tree(), pair(5, 6).tree()).empty());
  EXPECT_TRUE(alias_changes(pair(1, 2).tree(), pair(7, 8).tree(), pair(5, 6).tree()).empty());
  EXPECT_TRUE(alias_changes(pair(1, 1).tree(), pair(-1, -1).tree(), pair(5, 5).tree()).empty())
      << "not known";
}

TEST(Aliases, ViewsOfOneBufferAreNotTied) {
  auto flat = pair(1, 1);
  StateTree tree = flat.tree();
  tree.entries()[1].field.layout.storage_offset = 8;
  EXPECT_TRUE(alias_changes(tree, pair(1, 2).tree(), pair(5, 5).tree()).empty());
}

}  // namespace
}  // namespace samestep
