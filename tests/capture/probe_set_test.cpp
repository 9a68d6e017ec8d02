#include "capture/probe_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capture/cell_probe.h"
#include "schemas/error.h"

namespace samestep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Loop {
  int step = 3;
  double best = 0.5;
  std::vector<std::string> names{"a", "b"};
};

void watch(ProbeSet& probes, Loop& loop) {
  const auto add = [&](const char* name, auto& thing) {
    probes.add(std::make_unique<CellProbe>(watched_place(name), cell_of(thing)));
  };
  add("step", loop.step);
  add("best", loop.best);
  add("names", loop.names);
}

TEST(ProbeSet, RestoresWhatItRead) {
  Loop source, target{9, 2.0, {"c", "d", "e"}};
  ProbeSet here, there;
  watch(there, source);
  watch(here, target);
  here.restore(snapshot_of(there.read()), "the test");
  EXPECT_EQ(target.step, 3);
  EXPECT_EQ(target.best, 0.5);
  EXPECT_THAT(target.names, ElementsAre("a", "b"));
}

TEST(ProbeSet, NamesAllRefusalsAndChangesNothing) {
  Loop source, target{9, 2.0, {}};
  ProbeSet here, there;
  watch(here, target);
  there.add(std::make_unique<CellProbe>(watched_place("step"), cell_of(source.best)));
  int other = 0;
  there.add(std::make_unique<CellProbe>(watched_place("other"), cell_of(other)));
  const StateTree saved = snapshot_of(there.read());
  EXPECT_THAT(here.refusals(saved),
              ElementsAre(HasSubstr("loop/best: is not in the saved state"),
                          HasSubstr("loop/other: nothing here has this field"),
                          HasSubstr("loop/step: is 0.5 there")));
  EXPECT_THROW(here.restore(saved, "the test"), Error);
  EXPECT_EQ(target.step, 9);
}

TEST(ProbeSet, WritesOneFieldAlone) {
  Loop source{5, 7.0, {}}, target;
  ProbeSet here, there;
  watch(there, source);
  watch(here, target);
  const StateTree saved = snapshot_of(there.read());
  here.write(*saved.find(FieldPath("loop/step")));
  EXPECT_EQ(target.step, 5);
  EXPECT_EQ(target.best, 0.5);
}

TEST(ProbeSet, RefusesBytesThatAreNotWhatWasRecorded) {
  Loop loop;
  ProbeSet probes;
  watch(probes, loop);
  StateTree saved = snapshot_of(probes.read());
  saved.entries()[0].field.digest = Digest{1, 2};
  EXPECT_THROW(probes.restore(saved, "the test"), Error);
}

}  // namespace
}  // namespace samestep
