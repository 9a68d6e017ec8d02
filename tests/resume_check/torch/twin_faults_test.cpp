// The fault matrix: each watched field in turn, altered after the restore, or never saved.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "resume_check/torch/resumes_exactly.h"
#include "schemas/error.h"
#include "tests/capture/torch/altered.h"
#include "tests/resume_check/torch/tiny_twin.h"

namespace samestep::libtorch {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::Not;
using ::testing::StartsWith;

/// What is watched after some steps, but for gradients, which each step makes anew.
std::vector<StateEntry> watched_fields() {
  TinyTrainer trainer;
  trainer.steps(3);
  std::vector<StateEntry> fields;
  const StateTree now = trainer.snapshot();
  for (const StateEntry& entry : now.entries())
    if (entry.field.role != Role::gradient) fields.push_back(entry);
  return fields;
}

/// Fixed at construction: nothing can alter it in a live trainer.
bool is_constant(const std::string& path) {
  return path == "lr_scheduler/step_size" || path == "lr_scheduler/gamma";
}

/// The matrix in parts, so that each ends soon on a slow machine.
constexpr std::size_t kParts = 8;
class TwinFaults : public ::testing::TestWithParam<std::size_t> {
 protected:
  static std::vector<StateEntry> fields() {
    std::vector<StateEntry> part;
    const auto all = watched_fields();
    for (std::size_t i = GetParam(); i < all.size(); i += kParts) part.push_back(all[i]);
    return part;
  }
};

TEST_P(TwinFaults, EachAlteredFieldIsFoundByName) {
  int count = 0;
  for (const StateEntry& field : fields()) {
    const std::string path = field.field.path.text();
    if (is_constant(path)) continue;
    TinyFault fault;
    fault.after_restore = [&](TinyTwin& twin) {
      const StateTree now = twin.trainer.snapshot();
      twin.own_session.probes().set().write(altered(*now.find(FieldPath(path))));
    };
    const Twin twin = run_twin(tiny(fault));
    EXPECT_THAT(findings_in(twin), Contains(path + " overwritten")) << twin;
    // A flag that changes no step (of a module that has only children) is told as a warning.
    const bool may_be_harmless = field.field.traits.at("declared") == "attribute";
    if (!may_be_harmless || twin.report.divergence) {
      EXPECT_EQ(twin.report.verdict, Verdict::diverged) << path << '\n' << twin;
      EXPECT_THAT(confirmed_in(twin), Contains(path + " overwritten")) << twin;
    }
    ++count;
  }
  EXPECT_GT(count, 5);
}

/// The part of a checkpoint that can be away by itself: all slots of a parameter are one.
std::string part_of(const FieldPath& path) {
  const auto parts = path.parts();
  const bool slot = parts.size() == 4 && parts[1] == "state";
  const bool list = path.text().starts_with("loop/losses/");
  return slot || list ? FieldPath::of({parts.begin(), parts.end() - 1}).text() : path.text();
}

TEST_P(TwinFaults, EachFieldThatWasNotSavedIsFoundByNameWhereItMatters) {
  int lost = 0;
  for (const StateEntry& field : fields()) {
    const std::string path = field.field.path.text();
    bool differs = false;
    TinyFault fault;
    fault.saved.leave_out = {part_of(field.field.path)};
    StateTree captured;
    fault.before_save = [&](TinyTwin& twin) { captured = twin.trainer.snapshot(); };
    fault.after_restore = [&](TinyTwin& twin) {
      const StateTree now = twin.trainer.snapshot();
      const StateEntry *here = now.find(FieldPath(path)), *there = captured.find(FieldPath(path));
      differs = !here || !there || here->field.digest != there->field.digest;
    };
    const Twin twin = run_twin(tiny(fault));
    if (!differs) {
      EXPECT_THAT(twin, ResumesExactly()) << path;
      continue;
    }
    // Where the file holds another field of like name and value, that one may be taken for it.
    EXPECT_EQ(twin.report.verdict, Verdict::diverged) << path << '\n' << twin;
    EXPECT_THAT(confirmed_in(twin), Contains(AnyOf(path + " missing", path + " not_applied")))
        << twin;
    ++lost;
  }
  EXPECT_GT(lost, 2);
}

INSTANTIATE_TEST_SUITE_P(Parts, TwinFaults, ::testing::Range(std::size_t{0}, kParts));

class TwinsOfEachOptimizer : public ::testing::TestWithParam<std::size_t> {};

TEST_P(TwinsOfEachOptimizer, ResumeExactlyFromABundle) {
  EXPECT_THAT(run_twin(tiny({}, optimizer_kinds()[GetParam()])), ResumesExactly());
}

TEST_P(TwinsOfEachOptimizer, AreNotTheSameWithoutTheOptimizersState) {
  const OptimizerKind kind = optimizer_kinds()[GetParam()];
  if (kind.name == "SGD") return;  // has none
  TinyFault fault;
  fault.saved.leave_out = {"optimizer/state"};
  const Twin twin = run_twin(tiny(fault, kind));
  EXPECT_EQ(twin.report.verdict, Verdict::diverged) << twin;
  EXPECT_THAT(confirmed_in(twin), Contains(StartsWith("optimizer/state/")));
}

INSTANTIATE_TEST_SUITE_P(Optimizers, TwinsOfEachOptimizer,
                         ::testing::Range(std::size_t{0}, optimizer_kinds().size()),
                         [](const auto& test) { return optimizer_kinds()[test.param].name; });

}  // namespace
}  // namespace samestep::libtorch
