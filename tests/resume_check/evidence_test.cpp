#include "resume_check/evidence.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "resume_check/mersenne.h"
#include "tests/resume_check/fixture.h"

namespace samestep {
namespace {

using testing::elements;
using testing::Leg;
using testing::octets;
using testing::ramp;
using testing::scalar;
using testing::State;

/// What is said about `path` when the uninterrupted run had `history` at steps 0, 3, 5 and
/// `captured` at 4.
struct Scene {
  std::map<int, State> history;
  State captured, file, restored;
  std::vector<RankRecord> ranks;

  Evidence about(const std::string& path) {
    Leg leg, resumed;
    for (const auto& [step, state] : history) {
      if (step < 4) leg.begin(step, state);
    }
    leg.capture(4, captured);
    for (const auto& [step, state] : history) {
      if (step > 4) leg.begin(step, state);
    }
    resumed.capture(4, restored);
    const RankRecord before = leg.record(), after = resumed.record();
    const auto alignment = align(before.tree, file.tree());
    const auto fates = fates_of(before, alignment, after);
    const Movement movement(before.log);
    const auto witnesses = witnesses_of(before, after, movement, ranks);
    for (const auto& fate : fates) {
      if (fate.path.text() == path) return evidence_of(fate, witnesses);
    }
    return {};
  }
};

bool marked(const Evidence& evidence, const std::string& mark) {
  return std::find(evidence.marks.begin(), evidence.marks.end(), mark) != evidence.marks.end();
}

const State kNothing;

TEST(Evidence, WhichBatchTheResumedRunTrainsOn) {
  const auto batch = [](int number) { return State().next_batch(number, "loader"); };
  const auto about = [&](int number) {
    Scene scene{{{0, batch(100)}, {3, batch(103)}}, batch(104), kNothing, batch(number), {}};
    return scene.about("dataloader/next_batch");
  };
  EXPECT_TRUE(about(100).sentences.at(0).find("that a new run begins with") != std::string::npos);
  EXPECT_TRUE(marked(about(100), "reset"));
  EXPECT_TRUE(about(103).sentences.at(0).find("after step 3 already") != std::string::npos);
  EXPECT_TRUE(marked(about(103), "stale"));
  EXPECT_TRUE(about(200).sentences.at(0).find("has not seen so far") != std::string::npos);
  for (const int number : {100, 103, 200})
    EXPECT_EQ(about(number).sentences.size(), 1u) << "no checkpoint holds a batch: not said";
}

TEST(Evidence, Reset) {
  Scene scene{{{0, State().attribute("ema/updates", 0)}},
              State().attribute("ema/updates", 4),
              kNothing,
              State().attribute("ema/updates", 0),
              {}};
  EXPECT_TRUE(marked(scene.about("ema/updates"), "reset"));
}

TEST(Evidence, ZeroIsAsMadeNew) {
  Scene scene{{},
              State().slot("w", "step", 0, scalar(4)),
              kNothing,
              State().slot("w", "step", 0, scalar(0)),
              {}};
  EXPECT_TRUE(marked(scene.about("optimizer/state/w/step"), "reset"));
}

TEST(Evidence, StaleNamesTheStep) {
  Scene scene{{{0, State().parameter("model/w", ramp(8, 0))},
               {3, State().parameter("model/w", ramp(8, 3))}},
              State().parameter("model/w", ramp(8, 4)),
              State().parameter("model/w", ramp(8, 3)),
              State().parameter("model/w", ramp(8, 3)),
              {}};
  const auto evidence = scene.about("model/w");
  EXPECT_TRUE(marked(evidence, "stale"));
  EXPECT_EQ(evidence.file_step, 3);
  EXPECT_EQ(evidence.sentences.front(), "equals the value of step 3");
}

TEST(Evidence, AStepOfTheFileIsReadInAnyRepresentation) {
  Scene scene{{{5, State().slot("w", "step", 0, scalar(5))}},
              State().slot("w", "step", 0, scalar(4)),
              State().value("optimizer/state/w/step", Value(std::int64_t{5}), ""),
              State().slot("w", "step", 0, scalar(5)),
              {}};
  EXPECT_EQ(scene.about("optimizer/state/w/step").file_step, 5);
}

TEST(Evidence, Cast) {
  const std::vector<double> wide{0.1, 0.2, 0.3};
  const std::vector<float> narrow{0.1f, 0.2f, 0.3f};
  const auto full = State().slot("w", "exp_avg", 0, elements(wide, Dtype::float64, {3}));
  const auto cut = State().slot("w", "exp_avg", 0, elements(narrow, Dtype::float32, {3}));
  Scene restored{{}, full, full, cut, {}};
  EXPECT_TRUE(marked(restored.about("optimizer/state/w/exp_avg"), "cast"));
  Scene filed{{}, full, cut, cut, {}};
  EXPECT_TRUE(marked(filed.about("optimizer/state/w/exp_avg"), "cast"));
}

TEST(Evidence, Permuted) {
  const auto right =
      State().slot("a", "exp_avg", 0, ramp(8, 1)).slot("b", "exp_avg", 1, ramp(8, 2));
  const auto swapped =
      State().slot("a", "exp_avg", 0, ramp(8, 2)).slot("b", "exp_avg", 1, ramp(8, 1));
  Scene scene{{}, right, right, swapped, {}};
  const auto evidence = scene.about("optimizer/state/a/exp_avg");
  EXPECT_TRUE(marked(evidence, "permuted"));
  EXPECT_EQ(evidence.sentences.front(), "equals the captured value of optimizer/state/b/exp_avg");
}

TEST(Evidence, OtherRank) {
  const auto mine = State().stream("rng/torch.cpu", ramp(8, 1)),
             theirs = State().stream("rng/torch.cpu", ramp(8, 2));
  Leg other(1);
  other.capture(4, theirs);
  Scene scene{{}, mine, mine, theirs, {other.record()}};
  EXPECT_TRUE(marked(scene.about("rng/torch.cpu"), "rank"));
}

TEST(Evidence, AStreamThatIsAheadByADraw) {
  std::vector<std::byte> record(kTorchGeneratorBytes);
  record[8] = record[12] = std::byte{1};
  std::mt19937 source(5);
  for (std::size_t i = 0; i < 624; ++i) {
    const auto word = static_cast<std::uint32_t>(source());
    std::memcpy(record.data() + 24 + 8 * i, &word, 4);
  }
  const auto saved = State().stream("rng/torch.cpu", octets(record));
  const auto ahead = State().stream("rng/torch.cpu", octets(advanced_by_draws(record, 2)));
  Scene scene{{}, saved, saved, ahead, {}};
  const auto evidence = scene.about("rng/torch.cpu");
  EXPECT_TRUE(marked(evidence, "advanced"));
  EXPECT_NE(evidence.sentences.front().find("2 draws"), std::string::npos)
      << evidence.sentences.front();
  EXPECT_EQ(
      draws_between(testing::entry(saved, "rng/torch.cpu"), testing::entry(ahead, "rng/torch.cpu")),
      2);
  EXPECT_EQ(
      draws_between(testing::entry(ahead, "rng/torch.cpu"), testing::entry(saved, "rng/torch.cpu")),
      0);
}

TEST(Evidence, AbsenceIsSaid) {
  Scene scene{{}, State().attribute("ema/updates", 4), kNothing, kNothing, {}};
  const auto evidence = scene.about("ema/updates");
  EXPECT_EQ(evidence.sentences.front(), "the checkpoint does not hold it");
}

}  // namespace
}  // namespace samestep
