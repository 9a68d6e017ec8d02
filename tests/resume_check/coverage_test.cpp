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

TEST(Coverage, UnwatchedIsWhatNoRankSaw) {
  const auto file = State().attribute("extra/a", 1).attribute("extra/b", 2);
  std::vector<Alignment> ranks(2);
  ranks[0].unmatched = {&file.tree().entries()[0], &file.tree().entries()[1]};
  ranks[1].unmatched = {&file.tree().entries()[1]};
  EXPECT_EQ(unwatched_by_all(ranks), std::vector<std::string>{"extra/b"});
}

}  // namespace
}  // namespace samestep
