#include "resume_check/findings.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/resume_check/fixture.h"
#include "tests/resume_check/generators.h"

namespace samestep {
namespace {

using testing::Leg;
using testing::ramp;
using testing::scalar;
using testing::State;

StepsComparison parted() {
  StepsComparison steps;
  steps.steps = 3;
  steps.divergence = DivergenceReport{};
  return steps;
}

StepsComparison equal() {
  StepsComparison steps;
  steps.steps = 3;
  return steps;
}

/// Graded findings for a captured state, a file, and a restored state; the run began at `start`,
/// went on to `next`.
std::vector<Finding> judged(const State& start, const State& captured, const State& next,
                            const State& file, const State& restored, const StepsComparison& steps,
                            bool last_resort = false) {
  Leg leg, resumed;
  leg.begin(0, start).capture(4, captured).begin(5, next);
  resumed.capture(4, restored);
  const RankRecord before = leg.record(), after = resumed.record();
  const std::vector<RankRecord> ranks{before};
  const auto alignment = align(before.tree, file.tree());
  const Movement movement(before.log), resumed_movement(after.log);
  const auto witnesses = witnesses_of(before, after, movement, ranks);
  const auto fates = fates_of(before, alignment, after);
  return graded(find_gaps(fates, witnesses, {movement, resumed_movement, {}}, file.tree()).gaps,
                steps, last_resort);
}

bool marked(const Finding& finding, const std::string& mark) {
  return std::find(finding.marks.begin(), finding.marks.end(), mark) != finding.marks.end();
}

TEST(Findings, AnUnusedStreamIsAWarning) {
  const auto mine = State().stream("rng/numpy/pos", scalar(1)),
             other = State().stream("rng/numpy/pos", scalar(2));
  const auto found = judged(mine, mine, mine, State(), other, parted());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].grade, Grade::warning);
  EXPECT_TRUE(marked(found[0], "unused"));
}

TEST(Findings, TheFieldsOfOneStreamAreUsedTogether) {
  const auto stream = [](int key, float pos) {
    return State().stream("rng/numpy", ramp(8, key)).stream("rng/numpy/pos", scalar(pos));
  };
  const auto found =
      judged(stream(1, 1), stream(1, 2), stream(1, 3), State(), stream(2, 1), equal());
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].grade, Grade::confirmed) << "the key of a stream moves once in 624 draws";
  EXPECT_TRUE(marked(found[0], "latent"));
}

TEST(Findings, AFrameNumberIsTheLastExplanation) {
  const auto at = [](int step) { return State().frame("loop/step", step); };
  EXPECT_EQ(judged(at(0), at(4), at(5), State(), at(0), equal())[0].grade, Grade::warning);
  EXPECT_EQ(judged(at(0), at(4), at(5), State(), at(0), parted())[0].grade, Grade::warning);
  EXPECT_EQ(judged(at(0), at(4), at(5), State(), at(0), parted(), true)[0].grade, Grade::confirmed);
  const auto both = [](int step) {
    return State().frame("loop/step", step).slot("w", "step", 0, scalar(static_cast<float>(step)));
  };
  const auto found = judged(both(0), both(4), both(5), State(), both(0), parted(), true);
  EXPECT_EQ(found[0].field, "optimizer/state/w/step");
  EXPECT_EQ(found[0].grade, Grade::confirmed);
  EXPECT_EQ(found[1].grade, Grade::warning) << "something heavier explains it";
}

/// One finding for a number of the loop's frames that was `captured`, is `filed`, and counts on
/// from `restored` in a resumed leg.
Finding counted(std::int64_t captured, std::int64_t filed, std::int64_t restored) {
  const auto holds = [](std::int64_t number) { return State().frame("loop/step", number); };
  Leg leg, resumed;
  leg.begin(9, holds(captured - 1)).capture(10, holds(captured)).begin(11, holds(captured + 1));
  resumed.capture(10, holds(restored)).begin(11, holds(restored + 1));
  const RankRecord before = leg.record(), after = resumed.record();
  const State file = State().declared_value("loop/step", Value(filed));
  const auto alignment = align(before.tree, file.tree());
  const Movement movement(before.log), resumed_movement(after.log);
  const auto found = graded(
      find_gaps(fates_of(before, alignment, after), witnesses_of(before, after, movement, {before}),
                {movement, resumed_movement, {}}, file.tree())
          .gaps,
      equal(), false);
  return found.size() == 1 ? found[0] : Finding{};
}

TEST(Findings, ACountOfTheLoopThatWasLoadedAndMovedIsAFault) {
  const auto ahead = counted(10, 10, 11);
  EXPECT_EQ(ahead.field, "loop/step");
  EXPECT_EQ(ahead.grade, Grade::confirmed);
  EXPECT_TRUE(marked(ahead, "latent"));
  EXPECT_EQ(counted(10, 10, 9).grade, Grade::confirmed);
}

TEST(Findings, ACountThatBeginsAnewOrIsNotTheFilesIsNone) {
  EXPECT_EQ(counted(10, 10, 0).grade, Grade::warning) << "steps of this process";
  EXPECT_EQ(counted(10, 10, 1).grade, Grade::warning);
  EXPECT_EQ(counted(10, 20, 11).grade, Grade::warning) << "the file's number is of something else";
}

/// One finding for a patience counter that was `captured`, and is `restored`, in a file of it.
Finding patience(std::int64_t captured, const State& restored) {
  const auto holds = [](std::int64_t number) { return State().frame("loop/bad", number); };
  const auto found = judged(holds(captured - 1), holds(captured), holds(captured + 1),
                            State().declared_value("loop/bad", Value(captured)), restored, equal());
  for (const auto& finding : found)
    if (finding.field == "loop/bad") return finding;
  return {};
}

TEST(Findings, ANumberThatIsSavedAndNeverAppliedIsShown) {
  const auto lost = patience(3, State().frame("loop/bad", 0));
  EXPECT_EQ(lost.grade, Grade::warning);
  EXPECT_TRUE(marked(lost, "saved"));
  EXPECT_FALSE(marked(lost, "frame")) << "quieten() drops those";
  const auto in_what_was_loaded = patience(3, State().frame("loop/bad", 0).frame("loop/ck/bad", 3));
  EXPECT_TRUE(marked(in_what_was_loaded, "saved")) << "loaded is not applied";
  const auto elsewhere = patience(3, State().frame("loop/bad", 0).frame("loop/start", 3));
  EXPECT_TRUE(marked(elsewhere, "frame")) << "it was loaded under another name";
}

TEST(Findings, AMaskedBatchFollowsFromItsStream) {
  const auto at = [](int step, const std::string& owner) {
    return State().stream("rng/generator.mask", ramp(8, step)).next_batch(step, owner);
  };
  auto found = judged(at(0, "forward_input"), at(4, "forward_input"), at(5, "forward_input"),
                      State(), at(0, "forward_input"), parted());
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].field, "rng/generator.mask");
  EXPECT_EQ(found[1].grade, Grade::warning);
  EXPECT_TRUE(marked(found[1], "consequence"));
  found =
      judged(at(0, "loader"), at(4, "loader"), at(5, "loader"), State(), at(0, "loader"), parted());
  EXPECT_EQ(found[1].grade, Grade::confirmed) << "a loader's batch is a fault of its own";
}

TEST(Findings, ACounterOfTheTrainersOwnObjectNeedsAnEffect) {
  const auto at = [](int step) {
    return State().attribute("loop/course/rung", step).next_batch(step, "forward_input");
  };
  const auto found = judged(at(0), at(4), at(5), State(), at(0), parted());
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].field, "loop/course/rung") << "the batch that differs is its effect";
  EXPECT_EQ(found[0].grade, Grade::confirmed);
  EXPECT_EQ(found[1].grade, Grade::warning);
  EXPECT_TRUE(marked(found[1], "consequence"));
  const auto still = judged(at(0), at(4), at(5), State(), at(0), equal());
  EXPECT_EQ(still[1].grade, Grade::warning);
}

TEST(Findings, WhatEachForwardLeavesIsNoLostState) {
  const auto found_when = [](int after) {
    const auto at = [](int number) { return State().attribute("model/entropy", number); };
    Leg leg, resumed;
    leg.begin(0, at(0)).capture(4, at(4)).begin(5, at(5));
    resumed.capture(4, at(0)).begin(5, at(after));
    const RankRecord before = leg.record(), restored = resumed.record();
    const std::vector<RankRecord> ranks{before};
    const State file;
    const auto alignment = align(before.tree, file.tree());
    const Movement movement(before.log), resumed_movement(restored.log);
    const auto witnesses = witnesses_of(before, restored, movement, ranks);
    const auto fates = fates_of(before, alignment, restored);
    return graded(find_gaps(fates, witnesses, {movement, resumed_movement, {}}, file.tree()).gaps,
                  equal(), false);
  };
  const auto telemetry = found_when(5), count = found_when(1);
  ASSERT_EQ(telemetry.size(), 1u);
  EXPECT_EQ(telemetry[0].grade, Grade::warning);
  EXPECT_EQ(telemetry[0].evidence.back(), "it is the same again from the next step on");
  ASSERT_EQ(count.size(), 1u);
  EXPECT_EQ(count[0].grade, Grade::confirmed);
}

TEST(Findings, ARateThatIsSetAnewEachStepTearsNoFile) {
  const auto at = [](int model, int rate) {
    return State().parameter("model/w", ramp(8, model)).slot("w", "exp_avg", 0, ramp(8, 50 + rate));
  };
  const auto found = judged(at(0, 0), at(4, 4), at(5, 5), at(4, 0), at(4, 4), equal());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].fate, Fate::healed);
  EXPECT_FALSE(marked(found[0], "torn"));
}

TEST(Findings, ATornFileIsSaid) {
  const auto at = [](int model, int slots) {
    return State()
        .parameter("model/w", ramp(8, model))
        .slot("w", "exp_avg", 0, ramp(8, 50 + slots));
  };
  const auto found = judged(at(0, 0), at(4, 4), at(5, 5), at(4, 5), at(4, 5), parted());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].fate, Fate::miswritten);
  EXPECT_EQ(found[0].marks.front(), "torn");
  const auto whole = judged(at(0, 0), at(4, 4), at(5, 5), at(5, 5), at(5, 5), parted());
  ASSERT_EQ(whole.size(), 2u);
  EXPECT_FALSE(marked(whole[0], "torn")) << "all of it is of one step";
}

TEST(Findings, ALostTieIsAFault) {
  const auto pair = [](int second) {
    return State()
        .parameter("model/embed", ramp(8, 1))
        .storage(1)
        .parameter("model/head", ramp(8, 1))
        .storage(second);
  };
  const auto found = judged(pair(1), pair(1), pair(1), pair(1), pair(2), parted());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].field, "model/head");
  EXPECT_EQ(found[0].grade, Grade::confirmed);
  EXPECT_TRUE(marked(found[0], "aliased"));
}

TEST(Findings, WhatIsIgnoredIsCounted) {
  const auto at = [](int time) { return State().attribute("extra/run/start_time", time); };
  Leg leg, resumed;
  leg.capture(4, at(1'700'000'000));
  resumed.capture(4, at(1'700'000'060));
  const RankRecord before = leg.record(), after = resumed.record();
  const std::vector<RankRecord> ranks{before};
  const Movement movement(before.log), resumed_movement(after.log);
  const auto alignment = align(before.tree, StateTree{});
  const auto search =
      find_gaps(fates_of(before, alignment, after), witnesses_of(before, after, movement, ranks),
                {movement, resumed_movement, {}}, StateTree{});
  EXPECT_TRUE(search.gaps.empty());
  EXPECT_EQ(search.ignored.at("times of day and durations"), 1u);
  EXPECT_TRUE(search.differing.count("extra/run/start_time"));
}

TEST(Findings, ANumberThatIsCalledAsAClockAndFollowsFromTrainingIsNotHidden) {
  const auto at = [](double time) {
    return State().value("loop/mix/warmup_time", Value(time), "attribute");
  };
  const auto found = judged(at(1.0), at(0.6561), at(0.59049), State(), at(1.0), parted());
  ASSERT_EQ(found.size(), 1u) << "the resumed run has the value of the first step";
  EXPECT_EQ(found[0].grade, Grade::confirmed);
  EXPECT_TRUE(judged(at(0.1), at(0.7), at(0.8), State(), at(0.123), parted()).empty());
}

TEST(Findings, AnOptimizerThatLostItsModelIsNoFieldOfItsOwn) {
  const auto model = State().parameter("model/w", ramp(8, 1));
  const auto detached =
      State(model).value("optimizer/param_groups/0/params", Value(std::int64_t{1}), "detached");
  const auto found = judged(model, model, model, model, detached, parted());
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(marked(found[0], "detached"));
  EXPECT_EQ(found[0].grade, Grade::confirmed);
}

TEST(Findings, AGeneratorThatIsMadeForEachBatchFollowsFromItsSeed) {
  const auto at = [](std::uint32_t seed, std::int64_t drawn) {
    return testing::torch_stream("rng/generator.g", seed, 3).attribute("loop/feed/drawn", drawn);
  };
  const auto found = judged(at(0, 0), at(4, 4), at(5, 5), State(), at(0, 0), parted());
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].field, "rng/generator.g");
  EXPECT_EQ(found[0].grade, Grade::confirmed) << "either may be to blame";
  EXPECT_EQ(found[1].grade, Grade::confirmed);
  const auto latent = judged(at(0, 0), at(4, 4), at(5, 5), State(), at(0, 0), equal());
  EXPECT_EQ(latent[0].grade, Grade::warning);
}

TEST(Findings, TensorsOfTheLoopAreTheVeryLastExplanation) {
  const auto at = [](int step, bool with_number) {
    State state = State().tensor("loop/x", ramp(8, step), "frame");
    return with_number ? state.frame("loop/epsilon", step) : state;
  };
  const auto found =
      judged(at(0, true), at(4, true), at(5, true), State(), at(0, true), parted(), true);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].field, "loop/epsilon");
  EXPECT_EQ(found[1].grade, Grade::warning) << "a batch, most likely";
  const auto alone =
      judged(at(0, false), at(4, false), at(5, false), State(), at(0, false), parted(), true);
  EXPECT_EQ(alone[0].grade, Grade::confirmed);
}

TEST(Findings, ConfirmedFirstThenCausalOrder) {
  std::vector<Finding> findings(3);
  findings[0].field = "optimizer/a", findings[0].grade = Grade::warning;
  findings[1].field = "optimizer/b";
  findings[2].field = "rng/torch.cpu";
  sort_findings(findings);
  EXPECT_EQ(findings[0].field, "rng/torch.cpu");
  EXPECT_EQ(findings[2].field, "optimizer/a");
}

TEST(Findings, AMeterIsNotBlamedWhereSomethingElseMayBe) {
  const auto at = [](int beta, int meter) {
    return State().attribute("loop/t/beta", beta).attribute("loop/t/running_loss", meter);
  };
  const auto both = judged(at(0, 0), at(4, 4), at(5, 5), State(), at(0, 0), parted());
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].field, "loop/t/beta");
  EXPECT_EQ(both[0].grade, Grade::confirmed);
  EXPECT_EQ(both[1].grade, Grade::warning);
  const auto alone = judged(at(0, 0), at(4, 4), at(5, 5), State(), at(4, 0), parted());
  ASSERT_EQ(alone.size(), 1u);
  EXPECT_EQ(alone[0].grade, Grade::confirmed) << "the only thing that differs";
}

TEST(Findings, ALoadersNumberMayShowElsewhereThanInTheBatches) {
  const auto at = [](int beta) {
    return State().value("dataloader/replay/beta", Value(std::int64_t{beta}), "attribute");
  };
  EXPECT_EQ(judged(at(0), at(4), at(5), State(), at(0), parted())[0].grade, Grade::confirmed);
  EXPECT_EQ(judged(at(0), at(4), at(5), State(), at(0), equal())[0].grade, Grade::warning);
}

TEST(Findings, ACacheThatGrowsIsNoLostState) {
  const auto rope = [](std::int64_t length) {
    return State()
        .tensor("model/rope.cos", ramp(static_cast<int>(length), 1), "buffer_nonpersistent")
        .attribute("model/rope.seq", static_cast<int>(length));
  };
  const auto found = judged(rope(2), rope(8), rope(9), State(), rope(2), equal());
  ASSERT_EQ(found.size(), 2u);
  for (const auto& finding : found) EXPECT_EQ(finding.grade, Grade::warning) << finding.field;
  for (const auto& finding :
       judged(rope(2), rope(8), rope(9), State(), State().attribute("model/rope.seq", 2), equal()))
    EXPECT_EQ(finding.grade, Grade::warning) << finding.field << ", not made yet";
  const auto other = State()
                         .tensor("model/rope.cos", ramp(2, 7), "buffer_nonpersistent")
                         .attribute("model/rope.seq", 2);
  const auto wrong = judged(rope(2), rope(8), rope(9), State(), other, equal());
  ASSERT_EQ(wrong.size(), 2u);
  EXPECT_EQ(wrong[0].field, "model/rope.cos");
  EXPECT_EQ(wrong[0].grade, Grade::confirmed) << "no part of the captured one";
}

}  // namespace
}  // namespace samestep
