#include "resume_check/torch/saved_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "capture/torch/bundle.h"
#include "tests/capture/torch/tiny_trainer.h"
#include "tests/support/temporary_folder.h"

namespace samestep::libtorch {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class StateOfACheckpoint : public ::testing::Test {
 protected:
  StateOfACheckpoint() { trainer_.steps(2); }

  TemporaryFolder folder_;
  TinyTrainer trainer_;
};

TEST_F(StateOfACheckpoint, IsWhatItsReaderSees) {
  save(folder_ / "state.samestep", trainer_.probes, {{"loop"}, false});
  const SavedState saved = saved_state(folder_ / "state.samestep", {}, trainer_.snapshot());
  EXPECT_FALSE(saved.is_assumed);
  EXPECT_THAT(saved.notes, IsEmpty());
  EXPECT_NE(saved.tree.find(FieldPath("model/first.weight")), nullptr);
  EXPECT_EQ(saved.tree.find(FieldPath("loop/cursor")), nullptr);
}

TEST_F(StateOfACheckpoint, HoldsWhatTheTrainerSaysBeside) {
  save(folder_ / "state.samestep", trainer_.probes, {{"loop"}, false});
  const SavedState saved =
      saved_state(folder_ / "state.samestep", {"loop/cursor"}, trainer_.snapshot());
  EXPECT_NE(saved.tree.find(FieldPath("loop/cursor")), nullptr);
  EXPECT_EQ(saved.tree.find(FieldPath("loop/best")), nullptr);
}

TEST_F(StateOfACheckpoint, IsAssumedWhereItCannotBeRead) {
  folder_.write("state.own", "a format of the trainer's own");
  const StateTree live = trainer_.snapshot();
  const SavedState saved = saved_state(folder_ / "state.own", {}, live);
  EXPECT_TRUE(saved.is_assumed);
  ASSERT_THAT(saved.notes, SizeIs(1));
  EXPECT_THAT(saved.notes[0].second, HasSubstr("what it holds is not known"));
  EXPECT_EQ(saved.tree.entries().size(), live.entries().size());
}

TEST_F(StateOfACheckpoint, IsOnlyWhatTheTrainerSaysWhereItCannotBeRead) {
  const SavedState saved = saved_state(folder_ / "none", {"model"}, trainer_.snapshot());
  EXPECT_FALSE(saved.is_assumed);
  EXPECT_THAT(saved.notes, SizeIs(1));
  for (const StateEntry& entry : saved.tree.entries())
    EXPECT_EQ(entry.field.path.component(), "model");
}

}  // namespace
}  // namespace samestep::libtorch
