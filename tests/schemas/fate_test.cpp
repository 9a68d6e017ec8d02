#include "schemas/fate.h"

#include <gtest/gtest.h>

#include "schemas/error.h"

namespace samestep {
namespace {

TEST(FateWordsTest, FatesAreFrozenAndEachIsExplained) {
  const char* names[] = {"kept",        "rederived",       "missing",  "overwritten",
                         "not_applied", "lost_after_save", "dropped",  "miswritten",
                         "healed",      "extra",           "unwatched"};
  for (unsigned i = 0; i < 11; ++i) {
    const Fate fate = static_cast<Fate>(i);
    EXPECT_EQ(to_string(fate), names[i]);
    EXPECT_EQ(fate_from(names[i]), fate);
    EXPECT_GT(describe(fate).size(), 10u) << names[i];
  }
  EXPECT_THROW(fate_from(""), Error);
}

}  // namespace
}  // namespace samestep
