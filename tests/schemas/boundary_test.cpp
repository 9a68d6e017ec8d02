#include "schemas/boundary.h"

#include <gtest/gtest.h>

namespace samestep {
namespace {

TEST(BoundaryTest, TextSaysWhere) {
  const Boundary boundary{3, 1201, "forward:layers.0.dropout"};
  EXPECT_EQ(boundary.text(), "step 1201, forward:layers.0.dropout");
  EXPECT_EQ(boundary.text(true), "rank 3, step 1201, forward:layers.0.dropout");
}

}  // namespace
}  // namespace samestep
