#include "resume_check/ignore_list.h"

#include <gtest/gtest.h>

#include "tests/resume_check/fixture.h"

namespace samestep {
namespace {

using testing::State;

bool hidden(const State& state) {
  return ignored_by(state.tree().entries().front().field) != nullptr;
}

TEST(IgnoreList, HidesClocksPathsAndCallCounts) {
  EXPECT_TRUE(hidden(State().attribute("loop/start_time", 1'700'000'000)));
  EXPECT_TRUE(hidden(State().value("extra/timer/elapsed_time", Value(1.5), "state_dict")));
  EXPECT_TRUE(
      hidden(State().value("extra/callback/dirpath", Value(std::string("x")), "state_dict")));
  EXPECT_TRUE(hidden(State().declared_value("lr_scheduler/_step_count", Value(std::int64_t{5}))));
}

TEST(IgnoreList, HidesNoStateThatDecidesBits) {
  EXPECT_FALSE(hidden(State().parameter("model/time", testing::ramp(8, 1))));
  EXPECT_FALSE(
      hidden(State().tensor("optimizer/state/w/old_dirs", testing::ramp(8, 1), "state_dict")));
  EXPECT_FALSE(hidden(State().declared_value("lr_scheduler/last_epoch", Value(std::int64_t{5}))));
  EXPECT_FALSE(hidden(State().attribute("ema/updates", 4)));
  EXPECT_FALSE(hidden(State().tensor("ema/dir", testing::ramp(8, 1), "state_dict")))
      << "a tensor is never hidden";
}

TEST(IgnoreList, AWholeNumberThatOnlyHasTheNameOfAClockCounts) {
  EXPECT_FALSE(hidden(State().declared_value("extra/anneal_time", Value(std::int64_t{30}))));
  EXPECT_FALSE(hidden(State().attribute("model/sim_time", 4)));
  EXPECT_FALSE(hidden(State().attribute("extra/walker/dir", 1))) << "no path";
}

TEST(IgnoreList, EachEntryHasAReason) {
  for (const auto& rule : ignore_list())
    EXPECT_FALSE(rule.reason.empty() || rule.name.empty() || rule.where.empty());
}

TEST(IgnoreList, Globs) {
  EXPECT_TRUE(glob_matches("rng/*", "rng/torch.cpu"));
  EXPECT_TRUE(glob_matches("*Time", "loop/start_time"));
  EXPECT_TRUE(glob_matches("a?c", "abc"));
  EXPECT_FALSE(glob_matches("a?c", "ac"));
  EXPECT_TRUE(glob_matches("*a*b*", "xxaxxbxx"));
  EXPECT_FALSE(glob_matches("rng/*", "model/rng/x"));
  EXPECT_TRUE(glob_matches("", ""));
  EXPECT_FALSE(glob_matches("", "x"));
}

}  // namespace
}  // namespace samestep
