#include "capture/cell.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capture/cell_probe.h"

namespace samestep {
namespace {

enum class Stage : std::uint8_t { warm, hot };

struct Limits {
  double lowest = 0.5;
  std::vector<int> counts{1, 2};
};
void samestep_fields(FieldVisitor& visit, Limits& limits) {
  visit("lowest", limits.lowest)("counts", limits.counts);
}

struct Everything {
  bool flag = true;
  std::int64_t cursor = 7;
  float rate = 0.25f;
  Stage stage = Stage::hot;
  std::string name = "a/b";
  std::optional<double> best;
  std::map<std::string, Limits> limits{{"lr", {}}};
  std::tuple<double, double> betas{0.9, 0.99};
  std::vector<std::int64_t> history = std::vector<std::int64_t>(65, 3);
};
void samestep_fields(FieldVisitor& visit, Everything& all) {
  visit("flag", all.flag)("cursor", all.cursor)("rate", all.rate)("stage", all.stage);
  visit("name", all.name)("best", all.best)("limits", all.limits)("betas", all.betas);
  visit("history", all.history);
}

std::vector<StateEntry> fields_of(Cell& cell) {
  std::vector<StateEntry> fields;
  cell.read({{"loop"}, Role::other, {}}, fields);
  return fields;
}

TEST(Cell, FieldsOfAStructureHaveItsNames) {
  Everything all;
  std::vector<std::string> paths;
  for (const StateEntry& entry : fields_of(*cell_of(all))) paths.push_back(entry.field.path.text());
  EXPECT_THAT(paths, testing::ElementsAre("loop/flag", "loop/cursor", "loop/rate", "loop/stage",
                                          "loop/name", "loop/best", "loop/limits/lr/lowest",
                                          "loop/limits/lr/counts/0", "loop/limits/lr/counts/1",
                                          "loop/betas/0", "loop/betas/1", "loop/history"));
}

TEST(Cell, EveryFieldCanBeWrittenWhereItWasRead) {
  Everything source, target;
  source.cursor = -3;
  source.best = 1.5;
  source.stage = Stage::warm;
  source.limits["lr"].counts = {4, 5, 6};
  source.history[64] = 9;
  target.history.clear();
  CellProbe probe({{"loop"}, Role::other, {}}, cell_of(target));
  Change change;
  const auto fields = fields_of(*cell_of(source));
  for (const StateEntry& entry : fields) {
    EXPECT_EQ(probe.refusal(entry), std::nullopt) << entry.field.path.text();
    change.written.push_back(&entry);
  }
  probe.apply(change);
  EXPECT_EQ(target.cursor, -3);
  EXPECT_EQ(target.best, 1.5);
  EXPECT_EQ(target.stage, Stage::warm);
  EXPECT_EQ(target.limits["lr"].counts, (std::vector<int>{4, 5, 6}));
  EXPECT_EQ(target.history, source.history);
}

TEST(Cell, RefusesWhatItCannotHoldExactly) {
  std::int8_t small = 1;
  float rate = 0;
  const auto refusal = [](auto& thing, Value value) {
    return cell_of(thing)->refusal({}, value_entry({{"loop", "x"}, Role::other, {}}, value));
  };
  EXPECT_NE(refusal(small, std::int64_t{300}), std::nullopt);
  EXPECT_EQ(refusal(small, std::int64_t{-128}), std::nullopt);
  EXPECT_NE(refusal(small, 1.0), std::nullopt);
  EXPECT_NE(refusal(rate, 0.1), std::nullopt);
  EXPECT_EQ(refusal(rate, 0.5), std::nullopt);
}

TEST(Cell, ErasingAnElementShortensTheList) {
  std::vector<int> list{1, 2, 3};
  const auto cell = cell_of(list);
  const std::vector<std::string> second{"1"}, none{"01"};
  EXPECT_TRUE(cell->can_erase(second));
  EXPECT_FALSE(cell->can_erase(none));
  cell->erase(second);
  EXPECT_EQ(list, std::vector<int>{1});
}

TEST(Cell, ElementsThatHoldNothingKeepTheirPlace) {
  std::vector<std::optional<double>> source{std::nullopt, 1.5, std::nullopt}, target;
  const auto cell = cell_of(target);
  for (const StateEntry& entry : fields_of(*cell_of(source))) {
    const auto parts = entry.field.path.parts();
    cell->write(Cell::Rest(parts).subspan(1), entry);
  }
  EXPECT_EQ(target, source);
}

}  // namespace
}  // namespace samestep
