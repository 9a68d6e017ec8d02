// The fault matrix: each watched field in turn, altered after the restore, or never saved.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "resume_check/torch/resumes_exactly.h"
#include "schemas/error.h"
#include "tests/capture/torch/altered.h"
#include "tests/resume_check/torch/tiny_twin.h"

namespace samestep::libtorch {
namespace {

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

/// Fixed at construction: nothing can alter it in a live trainer. AdamW itself throws where amsgrad
/// is set and its state has no room for it.
bool is_constant(const std::string& path) {
  return path == "lr_scheduler/step_size" || path == "lr_scheduler/gamma" ||
         path == "optimizer/param_groups/0/amsgrad";
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
  int count = 0, loud = 0;
  for (const StateEntry& field : fields()) {
    const std::string path = field.field.path.text();
    if (is_constant(path)) continue;
    TinyFault fault;
    fault.after_restore = [&](TinyTwin& twin) {
      const StateTree now = twin.trainer.snapshot();
      twin.own_session.probes().set().write(altered(*now.find(FieldPath(path))));
    };
    Twin twin;
    try {
      twin = run_twin(tiny(fault));
    } catch (const std::exception& error) {
      // A sampler that was moved on gives a batch of another size, at which the step itself throws.
      EXPECT_LE(++loud, 1) << path << ": " << error.what();
      continue;
    }
    EXPECT_THAT(findings_in(twin), Contains(path + " overwritten")) << twin;
    // What changes no step (the flag of a module that has only children, the part of an epoch's
    // order that is behind) is told as a warning.
    const std::string& declared = field.field.traits.at("declared");
    const bool may_be_harmless = declared == "attribute" || declared == "loader";
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
    const std::string part = part_of(field.field.path);
    bool differs = false, part_differs = false;
    TinyFault fault;
    fault.saved.leave_out = {part};
    StateTree captured;
    fault.before_save = [&](TinyTwin& twin) { captured = twin.trainer.snapshot(); };
    fault.after_restore = [&](TinyTwin& twin) {
      for (const std::string& other : differing(captured, twin.trainer.snapshot())) {
        differs = differs || other == path;
        part_differs = part_differs || other.starts_with(part);
      }
    };
    const Twin twin = run_twin(tiny(fault));
    if (!part_differs) {
      EXPECT_THAT(twin, ResumesExactly()) << path;
    }
    if (!differs) continue;
    EXPECT_EQ(twin.report.verdict, Verdict::diverged) << path << '\n' << twin;
    EXPECT_THAT(confirmed_in(twin), Contains(StartsWith(path + " "))) << twin;
    // A small number that the file holds under another name may be taken for this one.
    if (field.field.kind == FieldKind::tensor && field.field.bytes > 8) {
      EXPECT_THAT(confirmed_in(twin), Contains(path + " missing")) << twin;
    }
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
