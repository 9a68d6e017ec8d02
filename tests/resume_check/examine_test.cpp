#include "resume_check/examine.h"

#include <gtest/gtest.h>

#include "schemas/check.h"
#include "tests/resume_check/fixture.h"

namespace samestep {
namespace {

using testing::Leg;
using testing::ramp;
using testing::State;

State at_step(int step, int fault = 0) {
  return State()
      .parameter("model/w", ramp(8, step + fault))
      .stream("rng/torch.cpu", ramp(8, 90 + step))
      .attribute("extra/run/count", step);
}

std::vector<RankRecord> leg_of(int ranks, int fault_rank = -1) {
  std::vector<RankRecord> records;
  for (int rank = 0; rank < ranks; ++rank) {
    const int fault = rank == fault_rank ? 30 : 0;
    Leg leg(rank);
    leg.begin(0, at_step(0))
        .capture(4, at_step(4, fault))
        .begin(5, at_step(5))
        .begin(6, at_step(6))
        .begin(7, at_step(7));
    records.push_back(leg.record());
  }
  return records;
}

TEST(Examine, EachRankIsComparedWithItself) {
  const auto before = leg_of(2), after = leg_of(2, 1);
  const auto file = at_step(4);
  const auto found = examine({before, file.tree(), after, 4, 3}, {});
  ASSERT_EQ(found.gaps.size(), 1u);
  EXPECT_EQ(found.gaps[0].finding.rank, 1);
  EXPECT_EQ(found.gaps[0].finding.field, "model/w");
  EXPECT_EQ(found.coverage.ranks_heard, (std::vector<int>{0, 1}));
  EXPECT_EQ(found.coverage.fields_compared, 6u);
  EXPECT_EQ(found.steps.steps, 3);
  EXPECT_FALSE(found.steps.divergence);
  EXPECT_TRUE(found.stable[0].count("model/w"));
  EXPECT_FALSE(found.stable[1].count("model/w"));
  EXPECT_FALSE(found.stable[0].count("extra/run/count")) << "an attribute is evidence";
}

TEST(Examine, TheRankThatPartsFirstInAStepHasTheDivergence) {
  // The second rank's batch is another; the gradient that both average brings it to the first.
  const auto leg_with = [](std::uint64_t fault) {
    std::vector<RankRecord> ranks;
    for (const int rank : {0, 1}) {
      Leg leg(rank);
      leg.begin(0, at_step(0)).capture(4, at_step(4));
      leg.trace(4, "batch", 1 + (rank == 1 ? fault : 0)).trace(4, "grad:w", 2 + fault);
      ranks.push_back(leg.begin(5, at_step(5)).record());
    }
    return ranks;
  };
  const auto before = leg_with(0), after = leg_with(9);
  const auto found = examine({before, at_step(4).tree(), after, 4, 1}, {});
  ASSERT_TRUE(found.steps.divergence);
  EXPECT_EQ(found.steps.divergence->first, (Boundary{1, 5, "batch"}));
  EXPECT_EQ(found.steps.divergence->folded, 2U);
}

TEST(Examine, APlaceInTheDataThatNobodyTookIsToldBesideTheBatch) {
  const auto leg = [](int batch) {
    Leg one(0);
    one.begin(0, at_step(0).next_batch(0, "loader"))
        .capture(4, at_step(4).next_batch(batch, "loader"));
    return std::vector<RankRecord>{one.begin(5, at_step(5)).record()};
  };
  const auto before = leg(4), after = leg(0);
  const auto file = at_step(4).attribute("loop/batches_done", 4);
  const auto found = examine({before, file.tree(), after, 4, 1}, {});
  ASSERT_EQ(found.gaps.size(), 1u);
  EXPECT_EQ(found.gaps[0].finding.field, "dataloader/next_batch");
  EXPECT_EQ(found.gaps[0].finding.evidence.back(),
            "in the file, and taken by nothing that was seen live: loop/batches_done");
}

TEST(Examine, AnAverageThatPartsLaterIsSeen) {
  const auto leg = [](int fault) {
    const auto at = [](int step, int weights) {
      return at_step(step).tensor("ema/0", ramp(8, weights), "attribute", Role::average);
    };
    Leg one(0);
    one.begin(0, at(0, 0)).capture(4, at(4, 4)).begin(5, at(5, 5 + fault));
    return std::vector<RankRecord>{one.record()};
  };
  const auto before = leg(0), after = leg(30);
  const auto file = at_step(4);
  const auto found = examine({before, file.tree(), after, 4, 1}, {});
  EXPECT_TRUE(found.stable[0].count("ema/0"));
  ASSERT_TRUE(found.steps.divergence);
  EXPECT_EQ(found.steps.divergence->name, "ema/0");
}

TEST(Examine, LegsOfUnlikeRanksAreOurMistake) {
  const auto before = leg_of(2), after = leg_of(1);
  EXPECT_THROW(examine({before, StateTree{}, after, 4, 3}, {}), CheckFailure);
}

TEST(Examine, ARepetitionIsOneWord) {
  EXPECT_EQ((Repetition{false, {}, {}}.repeat()), Repeat::unknown);
  EXPECT_EQ((Repetition{true, {}, {}}.repeat()), Repeat::equal);
  EXPECT_EQ((Repetition{true, {"loss"}, {}}.repeat()), Repeat::unstable);
}

TEST(Examine, RepetitionsAreComparedAtTheLastBoundaryOrAtAll) {
  const auto leg = leg_of(1);
  const std::vector<std::set<std::string>> stable{{"model/w", "rng/torch.cpu"}};
  Leg control;
  control.end(7, at_step(7));
  auto last = repetition_of(leg, {control.record()}, stable, 4, 3, false);
  EXPECT_TRUE(last.compared);
  EXPECT_TRUE(last.differences.empty());
  const auto unlike = leg_of(1, 0);
  const auto full = repetition_of(leg, unlike, stable, 4, 3, true);
  ASSERT_EQ(full.differences.size(), 1u);
  EXPECT_TRUE(full.at_begin.count("model/w"));
  EXPECT_FALSE(repetition_of(leg, {}, stable, 4, 3, true).compared);
}

}  // namespace
}  // namespace samestep
