#include "resume_check/digests.h"

#include <gtest/gtest.h>

#include "resume_check/cancel.h"
#include "schemas/error.h"
#include "tests/resume_check/fixture.h"

namespace samestep {
namespace {

using testing::elements;
using testing::filled;
using testing::ramp;
using testing::State;

bool distinctive(const testing::Elements& made) {
  const auto state = State().tensor("f", made, "");
  return is_distinctive(state.tree().entries().front());
}

TEST(Digests, AreComputedWhereTheyAreAbsent) {
  auto state = State().parameter("model/w", ramp(8, 1));
  StateTree tree = state.tree();
  const auto digest = tree.entries().front().field.digest;
  tree.entries().front().field.digest.reset();
  compute_digests(tree);
  EXPECT_EQ(tree.entries().front().field.digest, digest);
}

TEST(Digests, StopWhenCancelled) {
  StateTree tree = State().parameter("model/w", ramp(8, 1)).tree();
  request_cancel();
  EXPECT_THROW(compute_digests(tree), Error);
  reset_cancel();
}

TEST(Digests, ShortOrUniformTensorsAreNoEvidence) {
  EXPECT_TRUE(distinctive(ramp(8, 1)));
  EXPECT_FALSE(distinctive(ramp(3, 1))) << "12 bytes";
  EXPECT_FALSE(distinctive(filled(1000, 0)));
  EXPECT_FALSE(distinctive(filled(1000, 0.1f)));
  EXPECT_FALSE(distinctive(elements(std::vector<std::int64_t>{0, 1, 2, 3}, Dtype::int64, {4})));
}

}  // namespace
}  // namespace samestep
