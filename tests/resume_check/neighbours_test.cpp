#include "resume_check/neighbours.h"

#include <gtest/gtest.h>

#include "tests/resume_check/fixture.h"

namespace samestep {
namespace {

using testing::State;

std::string found(const Neighbours& neighbours, const char* path) {
  const auto* entry = neighbours.find(FieldPath(path));
  return entry ? entry->field.path.text() : "";
}

State file() {
  const Value one(std::int64_t{1});
  return State()
      .value("extra/o/3/exp_avg", one, "")
      .value("extra/o/3/step", one, "")
      .value("extra/avg/shadow/w", one, "")
      .value("extra/avg/updates", one, "");
}

TEST(Neighbours, AGroupIsWhereItsMembersWereFound) {
  const auto state = file();
  Neighbours neighbours(state.tree());
  EXPECT_EQ(found(neighbours, "optimizer/state/w/step"), "");
  neighbours.learn(FieldPath("optimizer/state/w/exp_avg"), FieldPath("extra/o/3/exp_avg"));
  EXPECT_EQ(found(neighbours, "optimizer/state/w/step"), "extra/o/3/step");
  EXPECT_EQ(found(neighbours, "optimizer/state/v/step"), "");
}

TEST(Neighbours, AGroupMayLieOneFolderDeeper) {
  const auto state = file();
  Neighbours neighbours(state.tree());
  neighbours.learn(FieldPath("ema/w"), FieldPath("extra/avg/shadow/w"));
  EXPECT_EQ(found(neighbours, "ema/updates"), "extra/avg/updates");
}

TEST(Neighbours, TheMajorityOfAGroupDecides) {
  const Value one(std::int64_t{1});
  const auto state = State().value("extra/a/n", one, "").value("extra/b/n", one, "");
  Neighbours neighbours(state.tree());
  neighbours.learn(FieldPath("ema/x"), FieldPath("extra/a/x"));
  neighbours.learn(FieldPath("ema/y"), FieldPath("extra/b/y"));
  neighbours.learn(FieldPath("ema/z"), FieldPath("extra/b/z"));
  EXPECT_EQ(found(neighbours, "ema/n"), "extra/b/n");
}

}  // namespace
}  // namespace samestep
