#include "checkpoint/several.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/checkpoint/error_text.h"
#include "tests/checkpoint/foreign.h"
#include "tests/checkpoint/torch_writer.h"

namespace samestep {
namespace {

using foreign::error_text;
using foreign::text;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// {name: a tensor, "step": step}.
std::string saved(std::int64_t step, const std::string& name = "layer.weight") {
  return foreign::zip_of(foreign::torch_records("}(" + text(name) + foreign::tensor() +
                                                text("step") + foreign::integer(step) + "u"));
}

/// A state dict without a counter.
std::string weights(const std::string& name = "layer.weight") {
  return foreign::zip_of(foreign::torch_records(foreign::dict(name, foreign::tensor())));
}

std::string said_of(const TemporaryFolder& scratch) {
  return error_text([&] { refuse_several_checkpoints(scratch.path()); });
}

std::string accepted(const TemporaryFolder& scratch) {
  refuse_several_checkpoints(scratch.path());
  return {};
}

TEST(Several, FilesOfDifferentStepsAreListedAndTheNewestIsNamed) {
  const TemporaryFolder scratch;
  scratch.write("step-10.pt", saved(10));
  scratch.write("step-9.pt", saved(9));
  const std::string said = said_of(scratch);
  EXPECT_THAT(said, HasSubstr("holds 2 checkpoints, not one: step-9.pt, step-10.pt"));
  EXPECT_THAT(said, HasSubstr("name one of them, e.g. " + scratch / "step-10.pt"));
}

TEST(Several, FoldersOfDifferentStepsAtAnyDepth) {
  const TemporaryFolder scratch;
  scratch.write("run/checkpoint-10/state.pt", saved(10));
  scratch.write("run/checkpoint-20/state.pt", saved(20));
  EXPECT_THAT(said_of(scratch), HasSubstr("run/checkpoint-10, run/checkpoint-20"));
}

TEST(Several, NamesTellMomentsWhereNoCounterDoes) {
  const TemporaryFolder scratch;
  scratch.write("epoch=0-step=5.ckpt", weights());
  scratch.write("epoch=1-step=9.ckpt", weights());
  EXPECT_THAT(said_of(scratch), HasSubstr("holds 2 checkpoints"));
}

TEST(Several, TheBestAndTheLast) {
  const TemporaryFolder scratch;
  scratch.write("best.pt", saved(3));
  scratch.write("last.pt", saved(5));
  EXPECT_THAT(said_of(scratch), HasSubstr("best.pt, last.pt"));
}

TEST(Several, ALinkIsNoCheckpointOfItsOwn) {
  const TemporaryFolder scratch;
  scratch.write("step-4.pt", saved(4));
  std::filesystem::create_symlink("step-4.pt", scratch / "latest.pt");
  EXPECT_THAT(accepted(scratch), IsEmpty());
  scratch.write("step-2.pt", saved(2));
  EXPECT_THAT(said_of(scratch), HasSubstr("latest.pt points to step-4.pt"));
}

struct OneCheckpoint {
  const char* name;
  std::vector<std::pair<std::string, std::string>> files;
};

const OneCheckpoint kOne[] = {
    {"components", {{"model.pt", weights()}, {"ema.pt", weights()}}},
    {"components_of_one_step", {{"model_last.pt", weights()}, {"ema_last.pt", weights()}}},
    {"ranks", {{"ckpt_rank0.pt", saved(4)}, {"ckpt_rank1.pt", saved(4)}}},
    {"numbers_of_one_step", {{"state_0.pt", saved(4)}, {"state_1.pt", saved(4)}}},
    {"slices", {{"consolidated.00.pth", weights()}, {"consolidated.01.pth", weights()}}},
    {"shards",
     {{"step-model-00001-of-00002.pt", weights()}, {"step-model-00002-of-00002.pt", weights()}}},
    {"other_keys", {{"step-1.pt", weights("a.weight")}, {"step-2.pt", weights("b.weight")}}},
    {"one_and_a_text", {{"step-1.pt", saved(1)}, {"step-2.txt", "words"}}},
    {"unreadable", {{"step-1.pt", "words"}, {"step-2.pt", "words"}}},
};

TEST(Several, PartsOfOneCheckpointAreOne) {
  for (const OneCheckpoint& one : kOne) {
    SCOPED_TRACE(one.name);
    const TemporaryFolder scratch;
    for (const auto& [name, bytes] : one.files) scratch.write(name, bytes);
    EXPECT_THAT(accepted(scratch), IsEmpty());
  }
}

TEST(Several, ATrackerSaysWhichIsMeant) {
  const TemporaryFolder scratch;
  scratch.write("latest_checkpointed_iteration.txt", "20");
  scratch.write("iter_0000010/mp_rank_00/model_optim_rng.pt", saved(10));
  scratch.write("iter_0000020/mp_rank_00/model_optim_rng.pt", saved(20));
  EXPECT_THAT(accepted(scratch), IsEmpty());
  std::filesystem::remove(scratch / "latest_checkpointed_iteration.txt");
  EXPECT_THAT(said_of(scratch), HasSubstr("iter_0000010, iter_0000020"));
}

TEST(Several, LongListsAreCut) {
  const TemporaryFolder scratch;
  for (int step = 1; step <= 11; ++step)
    scratch.write("step-" + std::to_string(step) + ".pt", saved(step));
  const std::string said = said_of(scratch);
  EXPECT_THAT(said, HasSubstr("step-8.pt and 3 more"));
  EXPECT_THAT(said, Not(HasSubstr("step-9.pt")));
}

TEST(Several, FilesAndWhatIsNotThereAreNoMatterOfIt) {
  const TemporaryFolder scratch;
  scratch.write("step-1.pt", saved(1));
  EXPECT_NO_THROW(refuse_several_checkpoints(scratch / "step-1.pt"));
  EXPECT_NO_THROW(refuse_several_checkpoints(scratch / "nothing"));
}

}  // namespace
}  // namespace samestep
