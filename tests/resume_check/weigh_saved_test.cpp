#include "resume_check/weigh_saved.h"

#include <gtest/gtest.h>

#include "tests/resume_check/generators.h"

namespace samestep {
namespace {

using testing::Leg;
using testing::ramp;
using testing::scalar;
using testing::State;
using testing::torch_stream;

const StateEntry& first(const State& state) { return state.tree().entries().front(); }

bool is_needed(const State& live, const SavedFacts& facts, Fate fate = Fate::missing,
               const State* file = nullptr, Basis basis = Basis::path) {
  FieldFate field;
  field.path = first(live).field.path;
  field.captured = &first(live);
  field.fate = fate;
  if (file) field.match = Match{&first(*file), basis, false, false, std::nullopt};
  return weigh_saved(field, facts).needed;
}

SavedFacts logged(bool moved, bool as_made) {
  SavedFacts facts;
  facts.logged = true;
  facts.moved = moved;
  facts.as_made = as_made;
  return facts;
}

const State kSlot = State().slot("w", "exp_avg", 0, ramp(8, 1));
const State kEpoch = State().declared_value("lr_scheduler/last_epoch", Value(std::int64_t{4}));
const State kUpdates = State().attribute("ema/updates", 4);
const State kRung = State().attribute("lr_scheduler/rung", 4);
const State kMask = torch_stream("rng/generator.mask", 5, 10);
const State kTorch = torch_stream("rng/torch.cpu", 5, 10);

TEST(WeighSaved, MovedStateIsNeeded) {
  const auto moved = logged(true, false);
  EXPECT_TRUE(is_needed(kSlot, moved));
  EXPECT_TRUE(is_needed(kEpoch, moved));
  EXPECT_TRUE(is_needed(kUpdates, moved));
  EXPECT_TRUE(is_needed(kTorch, moved));
  EXPECT_TRUE(is_needed(State().tensor("gradients/w", ramp(8, 1), "gradient"), moved));
}

TEST(WeighSaved, WhatAnyConstructionGivesIsNot) {
  const auto as_made = logged(false, true);
  EXPECT_FALSE(
      is_needed(State().declared_value("optimizer/param_groups/0/eps", Value(1e-8)), as_made));
  EXPECT_FALSE(
      is_needed(State().tensor("model/mask", ramp(8, 1), "buffer_nonpersistent"), as_made));
  EXPECT_FALSE(is_needed(kUpdates, as_made));
}

TEST(WeighSaved, AnotherValueInTheFileIsWrongAllTheSame) {
  const auto live = State().declared_value("optimizer/param_groups/0/eps", Value(1e-8)),
             file = State().declared_value("optimizer/param_groups/0/eps", Value(1e-6));
  const auto as_made = logged(false, true);
  EXPECT_TRUE(is_needed(live, as_made, Fate::miswritten, &file));
  EXPECT_FALSE(is_needed(live, as_made, Fate::miswritten, &file, Basis::name))
      << "a name alone may be another thing of that name";
}

TEST(WeighSaved, AnAttributeThatTheStepGivesIsNot) {
  auto moved = logged(true, false);
  EXPECT_TRUE(is_needed(kRung, moved));
  moved.is_step = true;
  EXPECT_FALSE(is_needed(kRung, moved));
  EXPECT_TRUE(is_needed(kUpdates, moved)) << "a count of updates is state of its own";
}

TEST(WeighSaved, ACountOfStepsThatHaveBegunIsNot) {
  const auto judged = [](std::int64_t live, std::int64_t filed) {
    auto captured = State().attribute("extra/Trainer/step", live);
    captured.trait("saved_by", "state_dict");
    const auto file = State().attribute("loop/step", filed);
    FieldFate fate;
    fate.path = first(captured).field.path;
    fate.captured = &first(captured);
    fate.fate = Fate::miswritten;
    fate.match = Match{&first(file), Basis::name, false, false, std::nullopt};
    Leg leg;
    for (std::int64_t k = 0; k <= 3; ++k)
      leg.begin(k, State().attribute("extra/Trainer/step", live - 3 + k));
    const auto record = leg.capture(3, captured).record();
    const Movement movement(record.log);
    return weigh_saved(fate, saved_facts_of(fate, {fate}, movement, record, std::nullopt)).needed;
  };
  EXPECT_FALSE(judged(4, 3));
  EXPECT_TRUE(judged(4, 2)) << "one step too early";
  EXPECT_TRUE(judged(5, 4)) << "another count";
}

TEST(WeighSaved, EvidenceIsNot) {
  const auto moved = logged(true, false);
  EXPECT_FALSE(is_needed(State().frame("loop/step", 4), moved));
  EXPECT_FALSE(is_needed(State().value("dataloader/n", Value(std::int64_t{4}), "loader"), moved));
  EXPECT_FALSE(is_needed(State().attribute("extra/thing/count", 4), moved));
}

TEST(WeighSaved, StreamsAreNeededAsFarAsTheyAreUsed) {
  auto facts = logged(true, false);
  EXPECT_FALSE(is_needed(kMask, facts)) << "seeded anew for each epoch, as a rule";
  facts.goes_on = true;
  EXPECT_TRUE(is_needed(kMask, facts));
  facts.drawn = false;
  EXPECT_FALSE(is_needed(kTorch, facts));
}

TEST(WeighSaved, WithoutALogTheRoleDecides) {
  const SavedFacts unknown;
  EXPECT_TRUE(is_needed(kSlot, unknown));
  EXPECT_FALSE(is_needed(State().declared_value("lr_scheduler/gamma", Value(0.5)), unknown));
  EXPECT_FALSE(is_needed(State().tensor("gradients/w", ramp(8, 1), "gradient"), unknown));
  EXPECT_FALSE(is_needed(
      State().tensor("model/m", ramp(8, 1), "buffer_nonpersistent", Role::buffer), unknown));
  EXPECT_TRUE(is_needed(State().tensor("model/m", ramp(8, 1), "buffer", Role::buffer), unknown));
}

TEST(WeighSaved, FactsComeFromTheLog) {
  const auto at = [](int step) {
    auto state = torch_stream("rng/generator.mask", 5, step);
    return state.parameter("model/w", ramp(8, step)).attribute("extra/run/size", 7);
  };
  const auto record =
      Leg().begin(0, at(0)).begin(2, at(2)).capture(4, at(4)).begin(5, at(5)).record();
  const Movement movement(record.log);
  std::vector<FieldFate> fates;
  for (const auto& entry : record.tree.entries()) {
    FieldFate fate;
    fate.path = entry.field.path;
    fate.captured = &entry;
    fates.push_back(fate);
  }
  const auto facts = [&](std::size_t index, std::optional<std::int64_t> step) {
    return saved_facts_of(fates[index], fates, movement, record, step);
  };
  EXPECT_TRUE(facts(0, {}).drawn);
  EXPECT_TRUE(facts(0, {}).goes_on);
  EXPECT_TRUE(facts(1, {}).moved);
  EXPECT_FALSE(facts(1, {}).as_made);
  EXPECT_TRUE(facts(2, {}).as_made);
  EXPECT_TRUE(facts(2, 7).is_step);
  EXPECT_FALSE(facts(2, 4).is_step);
}

}  // namespace
}  // namespace samestep
