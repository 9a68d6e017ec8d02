#include "resume_check/refine.h"

#include <gtest/gtest.h>

#include "tests/resume_check/generators.h"

namespace samestep {
namespace {

using testing::Leg;
using testing::ramp;
using testing::scalar;
using testing::State;
using testing::torch_stream;

struct Scene {
  State start, captured, file, restored;
  Leg resumed = Leg();
  Leg uninterrupted = Leg();

  std::vector<FieldFate> fates() {
    before = uninterrupted.begin(0, start).capture(4, captured).record();
    after = resumed.capture(4, restored).record();
    alignment = align(before.tree, file.tree());
    auto found = fates_of(before, alignment, after);
    refine_fates(found, before, after, Movement(before.log));
    return found;
  }
  FieldFate of(const std::string& path) {
    for (auto& fate : fates()) {
      if (fate.path.text() == path) return fate;
    }
    return {};
  }

  RankRecord before = {}, after = {};
  Alignment alignment = {};
};

constexpr const char* kStream = "rng/torch.cpu";

State at(int draws, std::uint32_t seed = 5) { return torch_stream(kStream, seed, draws); }

TEST(Refine, AStreamThatWentOnSinceTheSave) {
  const struct {
    const char* what;
    State restored;
    Leg resumed;
    Fate fate;
  } rows[] = {
      {"drawn again by the resumed run", at(40), Leg(), Fate::kept},
      {"not drawn again", at(10), Leg(), Fate::miswritten},
      {"drawn otherwise", at(16), Leg(), Fate::overwritten},
      {"seeded anew, nobody looked", at(0, 9), Leg(), Fate::lost_after_save},
      {"seeded anew after the load", at(0, 9), Leg().loaded(at(10), kStream), Fate::overwritten},
      {"never restored", at(0, 9), Leg().loaded(at(0, 9), kStream), Fate::not_applied},
      {"gone", State(), Leg(), Fate::dropped},
  };
  for (const auto& row : rows) {
    Scene scene{at(0), at(40), at(10), row.restored, row.resumed};
    EXPECT_EQ(scene.of(kStream).fate, row.fate) << row.what;
  }
}

TEST(Refine, AWrongStreamInTheFileIsStillWrong) {
  Scene scene{at(0), at(40), at(10, 7), at(10, 7)};
  EXPECT_EQ(scene.of(kStream).fate, Fate::miswritten);
  Scene ahead{at(0), at(40), at(60), at(60)};
  EXPECT_EQ(ahead.of(kStream).fate, Fate::miswritten) << "the file is ahead of the run";
}

TEST(Refine, AStreamThatGoesOnFromTheFileWasLoaded) {
  Scene scene{at(0), at(40), at(40), at(44)};
  EXPECT_EQ(scene.of(kStream).fate, Fate::overwritten);
  Scene seeded{at(0), at(40), at(40), at(0, 9)};
  EXPECT_EQ(seeded.of(kStream).fate, Fate::lost_after_save) << "nobody looked, nothing tells";
}

State trained(int step) {
  return State()
      .parameter("model/w", ramp(8, step))
      .slot("w", "exp_avg", 0, ramp(8, 50 + step))
      .slot("w", "step", 0, scalar(static_cast<float>(step)))
      .declared_value("optimizer/param_groups/0/lr", Value(0.1));
}

State without_slots(int step) {
  return State()
      .parameter("model/w", ramp(8, step))
      .declared_value("optimizer/param_groups/0/lr", Value(0.1));
}

Leg model_loaded() { return Leg().loaded(without_slots(4), "model/w"); }

TEST(Refine, WhereNobodyLooksForLoadsTheTableStands) {
  Scene scene{without_slots(0), trained(4), trained(4), without_slots(4)};
  EXPECT_EQ(scene.of("optimizer/state/w/exp_avg").fate, Fate::dropped);
}

TEST(Refine, AForgottenLoadIsNotADrop) {
  Scene scene{without_slots(0), trained(4), trained(4), without_slots(4), model_loaded()};
  const auto fate = scene.of("optimizer/state/w/exp_avg");
  EXPECT_EQ(fate.fate, Fate::not_applied);
  EXPECT_TRUE(fate.never_loaded);
  EXPECT_EQ(scene.of("model/w").fate, Fate::kept);
}

TEST(Refine, ALoaderThatWasCalledAndHadNoPlaceDrops) {
  Scene scene{without_slots(0), trained(4), trained(4), without_slots(4),
              Leg().loaded(without_slots(4), "optimizer/param_groups/0/lr")};
  const auto fate = scene.of("optimizer/state/w/exp_avg");
  EXPECT_EQ(fate.fate, Fate::dropped);
  EXPECT_FALSE(fate.never_loaded);
}

TEST(Refine, ALookBesideAnotherLoadIsNoLoad) {
  Scene scene{without_slots(0), trained(4), trained(4), without_slots(4),
              Leg().beside(without_slots(4), "optimizer/param_groups/0/lr")};
  EXPECT_EQ(scene.of("optimizer/state/w/exp_avg").fate, Fate::not_applied);
}

TEST(Refine, APartThatArrivedByAnotherWayIsALoad) {
  auto half = without_slots(4);
  half.slot("w", "step", 0, scalar(4));
  Scene scene{without_slots(0), trained(4), trained(4), half, model_loaded()};
  EXPECT_EQ(scene.of("optimizer/state/w/exp_avg").fate, Fate::dropped);
}

TEST(Refine, AnAverageThatStayedAsMadeWasNeverLoaded) {
  const auto averaged = [](int step) {
    return State().tensor("ema/w", ramp(8, step), "state_dict", Role::average);
  };
  Scene scene{averaged(0), averaged(4), averaged(4), averaged(0), model_loaded()};
  EXPECT_EQ(scene.of("ema/w").fate, Fate::not_applied);
}

constexpr const char* kCursor = "dataloader/feed/pos";

State cursor(std::int64_t place) { return State().attribute(kCursor, place); }

/// The file holds 32, as it was at the save; a batch was fetched since, and it is 40.
Scene fetched_since_the_save(std::int64_t restored, Leg resumed = Leg()) {
  Scene scene{cursor(8), cursor(40), cursor(32), cursor(restored), std::move(resumed)};
  scene.uninterrupted.event("save", R"({"completed":4,"undeclared":{"loop/feed/pos":")" +
                                        testing::entry(scene.file, kCursor).field.digest->hex() +
                                        R"("}})");
  return scene;
}

TEST(Refine, ACursorThatMovedSinceTheSaveIsRightInTheFile) {
  EXPECT_EQ(fetched_since_the_save(40).of(kCursor).fate, Fate::kept);
  EXPECT_EQ(fetched_since_the_save(32).of(kCursor).fate, Fate::miswritten)
      << "the resumed run fetched nothing";
  EXPECT_EQ(fetched_since_the_save(8).of(kCursor).fate, Fate::not_applied) << "as in a new run";
  EXPECT_EQ(fetched_since_the_save(48).of(kCursor).fate, Fate::lost_after_save);
  EXPECT_EQ(fetched_since_the_save(48, Leg().loaded(cursor(32), kCursor)).of(kCursor).fate,
            Fate::overwritten);
  Scene stale{cursor(8), cursor(40), cursor(32), cursor(32)};
  EXPECT_EQ(stale.of(kCursor).fate, Fate::miswritten) << "nobody saw it at the save";
}

TEST(Refine, ARateThatIsSetBeforeEachStepIsRightInTheFile) {
  constexpr const char* kRate = "optimizer/param_groups/0/lr";
  const auto at = [&](double rate) {
    return State().tensor(kRate, scalar(static_cast<float>(rate)), "state_dict",
                          Role::hyperparameter);
  };
  Scene scene{at(0.1), at(0.5), at(0.4), at(0.5)};
  scene.uninterrupted.event("save", R"({"completed":4,"undeclared":{"optimizer/lr":")" +
                                        testing::entry(scene.file, kRate).field.digest->hex() +
                                        R"("}})");
  const auto fate = scene.of(kRate);
  EXPECT_EQ(fate.fate, Fate::kept);
  EXPECT_TRUE(fate.as_saved);
}

}  // namespace
}  // namespace samestep
