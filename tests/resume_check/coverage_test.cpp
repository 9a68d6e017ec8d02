#include "resume_check/coverage.h"

#include <gtest/gtest.h>

#include "tests/resume_check/fixture.h"

namespace samestep {
namespace {

using testing::ramp;
using testing::State;

TEST(Coverage, CountsByComponent) {
  const auto state = State().parameter("model/w", ramp(8, 1)).attribute("ema/n", 1);
  std::vector<FieldFate> fates(3);
  for (std::size_t i = 0; i < 2; ++i) {
    fates[i].captured = &state.tree().entries()[i];
    fates[i].path = fates[i].captured->field.path;
  }
  fates[1].fate = Fate::missing;
  fates[2].fate = Fate::extra;
  fates[2].restored = &state.tree().entries()[0];
  Coverage coverage;
  cover_fields(fates, coverage);
  EXPECT_EQ(coverage.fields_compared, 2u);
  EXPECT_EQ(coverage.fields_equal, 1u);
  EXPECT_EQ(coverage.by_component.at("ema"), 1u);
}

TEST(Coverage, AnOpaqueObjectIsNotCalledEqual) {
  StateEntry entry;
  entry.field.path = FieldPath("extra/thing");
  entry.field.kind = FieldKind::opaque;
  entry.field.class_name = "lib.Thing";
  FieldFate fate;
  fate.captured = &entry;
  fate.path = entry.field.path;
  Coverage coverage;
  cover_fields({fate}, coverage);
  EXPECT_EQ(coverage.fields_compared, 0u);
  ASSERT_EQ(coverage.not_compared.size(), 1u);
}

TEST(Coverage, WhatTheRecorderLeftOutIsToldOnce) {
  const auto leg = [](const std::vector<std::string>& fields) {
    testing::Leg one(0);
    for (const auto& field : fields)
      one.event("left_out", R"({"field": ")" + field + R"(", "why": "too long"})");
    return std::vector<RankRecord>{one.event("save", "{}").record()};
  };
  Coverage coverage;
  cover_left_out(leg({"loop/b", "loop/a"}), leg({"loop/b"}), coverage);
  const std::vector<std::pair<std::string, std::string>> expected{{"loop/a", "left out: too long"},
                                                                  {"loop/b", "left out: too long"}};
  EXPECT_EQ(coverage.not_compared, expected);
  std::vector<std::string> many;
  for (int i = 0; i < 20; ++i) many.push_back("loop/" + std::to_string(i));
  cover_left_out(leg(many), leg({}), coverage);
  EXPECT_EQ(coverage.not_compared.back().first, "8 others");
}

TEST(Coverage, AStreamThatWentOnSinceTheSaveIsNoted) {
  const auto live = State().stream("rng/torch.cpu", ramp(8, 2)),
             file = State().stream("rng/torch.cpu", ramp(8, 1));
  FieldFate fate;
  fate.captured = fate.restored = &live.tree().entries()[0];
  fate.path = fate.captured->field.path;
  fate.match = Match{&file.tree().entries()[0], Basis::path, false, false, std::nullopt};
  fate.stream = StreamLook{};
  fate.stream->as_saved = true;
  fate.stream->since_save = 2;
  Coverage coverage;
  cover_fields({fate, fate}, coverage);
  ASSERT_EQ(coverage.not_compared.size(), 1u) << "once, not once a rank";
  EXPECT_EQ(coverage.not_compared[0].first, "rng/torch.cpu of the file against the step");
  EXPECT_NE(coverage.not_compared[0].second.find("advanced 2 draws"), std::string::npos);
  EXPECT_EQ(coverage.fields_equal, 2u);
}

TEST(Coverage, UnwatchedIsWhatNoRankSaw) {
  const auto file = State().attribute("extra/a", 1).attribute("extra/b", 2);
  std::vector<Alignment> ranks(2);
  ranks[0].unmatched = {&file.tree().entries()[0], &file.tree().entries()[1]};
  ranks[1].unmatched = {&file.tree().entries()[1]};
  EXPECT_EQ(unwatched_by_all(ranks), std::vector<std::string>{"extra/b"});
}

TEST(Coverage, TheNamesOfAGroupsParametersAreNoState) {
  const auto file = State()
                        .declared_value("optimizer/param_groups/0/params/0", Value("w"))
                        .declared_value("optimizer/param_groups/0/param_names/0", Value("w"))
                        .declared_value("optimizer/param_groups/0/lr", Value(0.5));
  std::vector<Alignment> ranks(1);
  for (const auto& entry : file.tree().entries()) ranks[0].unmatched.push_back(&entry);
  EXPECT_EQ(unwatched_by_all(ranks), std::vector<std::string>{"optimizer/param_groups/0/lr"});
}

}  // namespace
}  // namespace samestep
