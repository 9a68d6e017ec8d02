#include "resume_check/gate.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "checkpoint/files/mapped_file.h"
#include "tests/resume_check/generators.h"
#include "tests/support/mapped_pages.h"
#include "tests/support/temporary_folder.h"

namespace samestep {
namespace {

using testing::Leg;
using testing::mapped_pages;
using testing::numpy_stream;
using testing::ramp;
using testing::scalar;
using testing::State;
using testing::torch_stream;

Report gated(Leg leg, const State& live, const State& file,
             std::optional<std::int64_t> step = std::nullopt) {
  leg.capture(4, live);
  Checkpoint checkpoint;
  checkpoint.tree = file.tree();
  checkpoint.step = step;
  return gate({leg.record()}, checkpoint);
}

Report gated(const State& live, const State& file) { return gated(Leg(), live, file); }

const Finding* about(const Report& report, const std::string& field) {
  const auto found = std::find_if(report.findings.begin(), report.findings.end(),
                                  [&](const Finding& finding) { return finding.field == field; });
  return found == report.findings.end() ? nullptr : &*found;
}

/// A file of the bytes of `made`, mapped, as the only tensor of a checkpoint.
struct MappedCheckpoint {
  MappedCheckpoint(const std::string& path, const testing::Elements& made) {
    file = MappedFile::open(path);
    Field field;
    field.path = FieldPath("model/w");
    field.kind = FieldKind::tensor;
    field.dtype = made.dtype;
    field.shape = made.shape;
    field.traits["declared"] = "model";
    StateEntry entry;
    entry.field = field;
    entry.bytes = tensor_bytes({file->bytes().data(), made.dtype, made.shape, {1}}, file);
    checkpoint.tree.add(std::move(entry));
  }

  std::shared_ptr<const MappedFile> file;
  Checkpoint checkpoint;
};

TEST(Gate, LeavesLittleOfAMappedFileInTheProcessAndJudgesAsInMemory) {
  const TemporaryFolder scratch;
  auto made = ramp(1 << 20, 1);
  Leg leg;
  leg.capture(4, State().parameter("model/w", made));
  const auto text = [&] {
    return std::string(reinterpret_cast<const char*>(made.bytes.data()), made.bytes.size());
  };
  scratch.write("right", text());
  made.bytes.back() ^= std::byte{1};
  scratch.write("wrong", text());
  const MappedCheckpoint right(scratch / "right", made), wrong(scratch / "wrong", made);

  EXPECT_EQ(gate({leg.record()}, right.checkpoint).verdict, Verdict::same);
  EXPECT_EQ(gate({leg.record()}, wrong.checkpoint).verdict, Verdict::diverged);
  // looks at a begin and at a difference may map some again
  const auto pages = made.bytes.size() / static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  EXPECT_LE(mapped_pages(right.file->bytes()), pages / 2);
}

TEST(Gate, RefusesWhatTheFileLacksOrHoldsWrongly) {
  const auto live =
      State().parameter("model/w", ramp(8, 1)).slot("w", "step", 0, scalar(4)).frame("loop/i", 3);
  EXPECT_EQ(gated(live, live).verdict, Verdict::same);
  const auto lacking = gated(live, State().parameter("model/w", ramp(8, 1)));
  EXPECT_EQ(lacking.verdict, Verdict::diverged);
  ASSERT_EQ(lacking.findings.size(), 2u);
  EXPECT_EQ(lacking.findings[0].field, "optimizer/state/w/step");
  EXPECT_EQ(lacking.findings[0].fate, Fate::missing);
  EXPECT_EQ(lacking.findings[1].grade, Grade::warning) << "a frame's number is evidence";
  EXPECT_EQ(lacking.reason, "1 field of the live state is not in the checkpoint as it was");
  const auto torn = gated(
      live,
      State().parameter("model/w", ramp(8, 2)).slot("w", "step", 0, scalar(4)).frame("loop/i", 3));
  EXPECT_EQ(torn.findings[0].fate, Fate::miswritten);
  EXPECT_TRUE(torn.findings[0].difference);
}

TEST(Gate, ASoundFileIsNotRefusedForWhatTheTrainerMakesAnew) {
  const auto at = [](int step) {
    return State()
        .parameter("model/w", ramp(8, step))
        .declared_value("lr_scheduler/gamma", Value(0.5))
        .attribute("ema/decay_steps", 10)
        .frame("loop/step", step)
        .next_batch(step, "loader");
  };
  Leg leg;
  leg.begin(0, at(0)).begin(3, at(3));
  const auto report = gated(leg, at(4), State().parameter("model/w", ramp(8, 4)));
  EXPECT_EQ(report.verdict, Verdict::same) << report.reason;
  EXPECT_FALSE(about(report, "dataloader/next_batch")) << "no file holds a batch";
  EXPECT_FALSE(about(report, "loop/step"));
  EXPECT_EQ(report.coverage.ignored.at("local variables of the training loop"), 1u);
  EXPECT_FALSE(about(report, "lr_scheduler/gamma"));
  EXPECT_EQ(report.coverage.ignored.at("as any new run makes them (constants, defaults)"), 2u);
}

TEST(Gate, WhatItToleratesIsSaidInTheVerdictAndBeginsWithTheReason) {
  const auto live = State().parameter("model/w", ramp(8, 1)).stream("rng/torch.cpu", ramp(8, 3));
  Leg leg;
  leg.begin(3, live);
  const auto report = gated(leg, live, State().parameter("model/w", ramp(8, 1)));
  EXPECT_EQ(report.verdict, Verdict::same);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].evidence.front(),
            "nobody drew from this stream in the recorded run");
  EXPECT_EQ(report.reason,
            "the checkpoint holds all durable state that a resumed run needs, bit for bit; 1 field "
            "that it lacks or holds otherwise is tolerated");
}

TEST(Gate, ALogThatCouldNotBeReadIsTold) {
  const auto live = State().parameter("model/w", ramp(8, 1));
  auto record = Leg().capture(4, live).record();
  record.log_trouble = "rank-0.jsonl.zst: damaged";
  Checkpoint checkpoint;
  checkpoint.tree = live.tree();
  const auto report = gate({record}, checkpoint);
  ASSERT_EQ(report.coverage.not_compared.size(), 1u);
  EXPECT_EQ(report.coverage.not_compared[0].second, record.log_trouble);
}

TEST(Gate, UnusedStreamsAreOneLine) {
  const auto live = [](int step) {
    auto state = torch_stream("rng/torch.cpu", 5, 10 * step);
    state.stream("rng/python", ramp(8, 1)).stream("rng/numpy", ramp(8, 2));
    return state;
  };
  Leg leg;
  leg.begin(0, live(0));
  const auto report = gated(leg, live(4), torch_stream("rng/torch.cpu", 5, 40));
  EXPECT_EQ(report.verdict, Verdict::same) << report.reason;
  EXPECT_TRUE(report.findings.empty());
  ASSERT_EQ(report.coverage.not_compared.size(), 1u);
  EXPECT_EQ(report.coverage.not_compared[0].first, "rng/numpy, rng/python");
  const auto lacking = gated(leg, live(4), State().stream("rng/python", ramp(8, 1)));
  EXPECT_EQ(lacking.verdict, Verdict::diverged) << "the torch stream is drawn from";
}

TEST(Gate, WithoutALogAFreshSeedTellsThatAStreamIsUnused) {
  const auto torch = torch_stream("rng/torch.cpu", 5, 10);
  const auto both = [](int draws) {
    auto state = numpy_stream(6, draws);
    return state.stream("rng/torch.cpu", testing::octets(testing::generator_after(5, 10)));
  };
  EXPECT_EQ(gated(both(0), torch).verdict, Verdict::same);
  EXPECT_EQ(gated(both(3), torch).verdict, Verdict::diverged);
}

TEST(Gate, AStreamThatWentOnSinceTheSaveIsThere) {
  const auto report =
      gated(torch_stream("rng/torch.cpu", 5, 42), torch_stream("rng/torch.cpu", 5, 40));
  EXPECT_EQ(report.verdict, Verdict::same) << report.reason;
  ASSERT_EQ(report.coverage.not_compared.size(), 1u);
  EXPECT_NE(report.coverage.not_compared[0].second.find("advanced 2 draws"), std::string::npos);
}

}  // namespace
}  // namespace samestep
