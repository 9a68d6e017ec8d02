#include "resume_check/fold.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/resume_check/fixture.h"

namespace samestep {
namespace {

using testing::Leg;
using testing::ramp;
using testing::State;

using Fold = void (*)(std::vector<WeighedFinding>&, const std::vector<FieldFate>&);

/// The findings that are left of all fields of `captured`, which differ in `restored`.
std::vector<Finding> left(Fold fold, const State& captured, const State& restored,
                          const State& file = State()) {
  const RankRecord before = Leg().capture(4, captured).record(),
                   after = Leg().capture(4, restored).record();
  const auto alignment = align(before.tree, file.tree());
  const auto fates = fates_of(before, alignment, after);
  std::vector<WeighedFinding> gaps;
  for (const auto& fate : fates) {
    WeighedFinding gap;
    gap.finding.field = fate.path.text();
    gap.finding.fate = fate.fate;
    gap.weight = declared(fate.field()) == "frame" ? Weight::as_last : Weight::with_effect;
    gaps.push_back(std::move(gap));
  }
  fold(gaps, fates);
  std::vector<Finding> findings;
  for (auto& gap : gaps) findings.push_back(std::move(gap.finding));
  return findings;
}

State carried(int seed, bool is_parameter = false) {
  return State()
      .tensor("loop/state", ramp(8, seed), "frame")
      .tensor("loop/L/carry/hidden", ramp(8, seed), is_parameter ? "parameter" : "attribute")
      .tensor("loop/L/hidden", ramp(8, seed), is_parameter ? "parameter" : "attribute");
}

TEST(Fold, OneTensorUnderThreeNamesIsOneFinding) {
  const auto found = left(fold_names, carried(4), carried(1));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].field, "loop/L/hidden") << "an attribute, and the nearest one";
  EXPECT_EQ(found[0].evidence.back(),
            "the same value is also met as loop/L/carry/hidden, loop/state");
}

TEST(Fold, ParametersKeepTheirNames) {
  EXPECT_EQ(left(fold_names, carried(4, true), carried(1, true)).size(), 3u);
}

TEST(Fold, WhatDiffersInTheResumedRunIsNotOne) {
  const auto other = State()
                         .tensor("loop/state", ramp(8, 1), "frame")
                         .tensor("loop/L/carry/hidden", ramp(8, 2), "attribute")
                         .tensor("loop/L/hidden", ramp(8, 3), "attribute");
  EXPECT_EQ(left(fold_names, carried(4), other).size(), 3u);
}

State numbers(double value) {
  return State()
      .value("loop/t/a", Value(value), "attribute")
      .value("loop/b", Value(value), "frame");
}

TEST(Fold, NumbersAreTakenForOneWhereTheyAreMeasured) {
  EXPECT_EQ(left(fold_names, numbers(0.123456789), numbers(0.5)).size(), 1u);
  EXPECT_EQ(left(fold_names, numbers(0.9), numbers(0.5)).size(), 2u) << "a setting";
  const auto count = [](std::int64_t n) {
    return State().attribute("loop/t/a", n).attribute("loop/t/b", n);
  };
  EXPECT_EQ(left(fold_names, count(4), count(0)).size(), 2u);
}

State memory(int items, int seed) {
  State state;
  for (int i = 0; i < items; ++i) {
    const auto path = "loop/replay/items/" + std::to_string(i);
    state.tensor(path + "/state", ramp(8, seed + i), "attribute");
    state.attribute(path + "/action", seed + i);
  }
  return state.attribute("loop/replay/at", seed);
}

TEST(Fold, ItemsOfOneListAreOneFinding) {
  const auto found = left(fold_items, memory(12, 100), memory(12, 500));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].field, "loop/replay/items");
  EXPECT_EQ(found[0].fate, Fate::missing);
  EXPECT_EQ(found[0].evidence[0],
            "24 values in 12 items of it; the first is loop/replay/items/0/state");
  EXPECT_EQ(found[1].field, "loop/replay/at");
}

TEST(Fold, AFewItemsKeepTheirNames) {
  EXPECT_EQ(left(fold_items, memory(3, 100), memory(3, 500)).size(), 7u);
}

TEST(Fold, TheFateIsThatOfMostItems) {
  const auto file = State().attribute("loop/replay/items/0/action", 100);
  EXPECT_EQ(left(fold_items, memory(12, 100), memory(12, 500), file)[0].fate, Fate::missing);
}

}  // namespace
}  // namespace samestep
