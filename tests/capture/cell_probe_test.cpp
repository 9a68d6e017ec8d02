#include "capture/cell_probe.h"

#include <gtest/gtest.h>

namespace samestep {
namespace {

TEST(WatchedPlace, IsTheLoopUnlessTheNameSaysAComponent) {
  EXPECT_EQ(watched_place("cursor").parts, (std::vector<std::string>{"loop", "cursor"}));
  EXPECT_EQ(watched_place("grad_scaler/scale").parts,
            (std::vector<std::string>{"grad_scaler", "scale"}));
  EXPECT_EQ(watched_place("grad_scaler/scale").role, Role::scaler);
  EXPECT_EQ(watched_place("other/thing").parts, (std::vector<std::string>{"loop", "other/thing"}));
}

TEST(CellProbe, OwnsWhatLiesBelowItsPlace) {
  int cursor = 0;
  const CellProbe probe(watched_place("cursor"), cell_of(cursor));
  EXPECT_TRUE(probe.owns(FieldPath("loop/cursor")));
  EXPECT_FALSE(probe.owns(FieldPath("loop/cursor2")));
  EXPECT_FALSE(probe.owns(FieldPath("loop")));
}

}  // namespace
}  // namespace samestep
