#include "resume_check/align.h"

#include <gtest/gtest.h>

#include "tests/resume_check/fixture.h"

namespace samestep {
namespace {

using testing::filled;
using testing::key;
using testing::ramp;
using testing::scalar;
using testing::State;

const Match* match_of(const Alignment& alignment, const State& captured, const std::string& path) {
  const auto& entries = captured.tree().entries();
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].field.path.text() == path) {
      return alignment.matches[i] ? &*alignment.matches[i] : nullptr;
    }
  }
  return nullptr;
}

std::string filed_under(const Alignment& alignment, const State& captured,
                        const std::string& path) {
  const auto* match = match_of(alignment, captured, path);
  return match ? match->entry->field.path.text() + (match->equal ? "" : " differs") : "";
}

TEST(Align, EqualPathsAreOneField) {
  const auto live = State().parameter("model/w", ramp(8, 1)).parameter("model/b", ramp(8, 2));
  const auto file = State().parameter("model/w", ramp(8, 1)).parameter("model/b", ramp(8, 3));
  const auto found = align(live.tree(), file.tree());
  EXPECT_EQ(filed_under(found, live, "model/w"), "model/w");
  EXPECT_EQ(filed_under(found, live, "model/b"), "model/b differs");
}

TEST(Align, BytesFindAFieldUnderAnyName) {
  const auto live = State().parameter("model/layers.0.weight", ramp(16, 1));
  const auto file = State().tensor("extra/blob/7", ramp(16, 1), "");
  const auto found = align(live.tree(), file.tree());
  EXPECT_EQ(filed_under(found, live, "model/layers.0.weight"), "extra/blob/7");
}

TEST(Align, AConstantTensorIsNoEvidence) {
  const auto live = State().parameter("model/bias", filled(64, 0));
  const auto file = State().tensor("extra/other", filled(64, 0), "");
  EXPECT_EQ(filed_under(align(live.tree(), file.tree()), live, "model/bias"), "");
}

TEST(Align, ASmallNumberThatIsEqualByAccidentIsNoEvidence) {
  const auto live = State().attribute("ema/updates", 4).slot("w", "step", 0, scalar(4));
  const auto file = State()
                        .value("loop/step", Value(std::int64_t{4}), "")
                        .value("loop/epoch", Value(std::int64_t{4}), "");
  const auto found = align(live.tree(), file.tree());
  EXPECT_EQ(filed_under(found, live, "ema/updates"), "");
  EXPECT_EQ(filed_under(found, live, "optimizer/state/w/step"), "");
  EXPECT_EQ(found.unmatched.size(), 2u);
}

TEST(Align, AnEqualNumberUnderALikeNameIs) {
  const auto live =
      State().attribute("grad_scaler/_growth_tracker", 3).attribute("ema/num_updates", 4);
  const auto file = State()
                        .value("extra/scaler/growthTracker", Value(std::int64_t{3}), "")
                        .value("extra/ema_state/numUpdates", Value(std::int64_t{4}), "");
  const auto found = align(live.tree(), file.tree());
  EXPECT_EQ(filed_under(found, live, "grad_scaler/_growth_tracker"), "extra/scaler/growthTracker");
  EXPECT_EQ(filed_under(found, live, "ema/num_updates"), "extra/ema_state/numUpdates");
}

TEST(Align, ACursorOfATrainersOwnFeedLiesWhereTheTrainerKeepsItsProgress) {
  const auto file = State().value("loop/pos", Value(std::int64_t{32}), "");
  const auto live = State().attribute("dataloader/feed/pos", 40);
  EXPECT_EQ(filed_under(align(live.tree(), file.tree()), live, "dataloader/feed/pos"),
            "loop/pos differs");
  const auto stock = State().value("dataloader/pos", Value(std::int64_t{32}), "loader");
  EXPECT_EQ(filed_under(align(stock.tree(), file.tree()), stock, "dataloader/pos"), "");
}

TEST(Align, WhatWasBuiltForTheSaveTakesNothingFromTheLiveObject) {
  const auto live = State().frame("loop/state/pos", 32).attribute("loop/feed/pos", 40);
  const auto file = State().value("extra/pos", Value(std::int64_t{32}), "");
  const auto found = align(live.tree(), file.tree());
  EXPECT_EQ(filed_under(found, live, "loop/feed/pos"), "extra/pos differs");
  EXPECT_TRUE(found.unmatched.empty());
  const auto variable = State().frame("loop/pos", 32).attribute("loop/feed/pos", 40);
  EXPECT_EQ(filed_under(align(variable.tree(), file.tree()), variable, "loop/feed/pos"), "")
      << "a variable of its own is what was saved";
}

TEST(Align, TheFilesOwnOrderIsAPlace) {
  const auto live = State().slot("b", "exp_avg", 1, ramp(8, 2)).slot("a", "exp_avg", 0, ramp(8, 1));
  const auto file = State()
                        .tensor("optimizer/state/a/exp_avg", ramp(8, 2), "")
                        .keys({key("optimizer"), key("state"), key(1), key("exp_avg")})
                        .tensor("optimizer/state/b/exp_avg", ramp(8, 1), "")
                        .keys({key("optimizer"), key("state"), key(0), key("exp_avg")});
  const auto found = align(live.tree(), file.tree());
  // the reader guessed the names the wrong way round; the indices in the file are what the trainer
  // wrote
  EXPECT_EQ(filed_under(found, live, "optimizer/state/b/exp_avg"), "optimizer/state/a/exp_avg");
  EXPECT_EQ(match_of(found, live, "optimizer/state/a/exp_avg")->basis, Basis::place);
}

TEST(Align, ANamedFileThatSwapsTwoFieldsIsWrong) {
  const auto live = State().slot("a", "exp_avg", 0, ramp(8, 1)).slot("b", "exp_avg", 1, ramp(8, 2));
  const auto file = State()
                        .tensor("optimizer/state/a/exp_avg", ramp(8, 2), "")
                        .tensor("optimizer/state/b/exp_avg", ramp(8, 1), "");
  const auto found = align(live.tree(), file.tree());
  EXPECT_EQ(filed_under(found, live, "optimizer/state/a/exp_avg"),
            "optimizer/state/a/exp_avg differs");
}

TEST(Align, AStepIsBesideItsMoments) {
  const auto live = State().slot("w", "exp_avg", 0, ramp(16, 1)).slot("w", "step", 0, scalar(4));
  const auto file = State()
                        .tensor("extra/opt/slots/9/exp_avg", ramp(16, 1), "")
                        .tensor("extra/opt/slots/9/step", scalar(5), "")
                        .tensor("extra/opt/slots/8/step", scalar(4), "");
  const auto found = align(live.tree(), file.tree());
  EXPECT_EQ(filed_under(found, live, "optimizer/state/w/step"), "extra/opt/slots/9/step differs");
  EXPECT_EQ(match_of(found, live, "optimizer/state/w/step")->basis, Basis::neighbours);
}

TEST(Align, APositionIsBesideItsStream) {
  const auto live = State()
                        .stream("rng/numpy", ramp(16, 1))
                        .stream("rng/numpy/pos", scalar(624))
                        .stream("rng/generator.env", ramp(16, 2))
                        .stream("rng/generator.env/pos", scalar(500));
  const auto file = State()
                        .stream("rng/numpy", ramp(16, 2))
                        .keys({key("env"), key("1")})
                        .stream("rng/numpy/pos", scalar(490))
                        .keys({key("env"), key("2")})
                        .stream("rng/numpy#2", ramp(16, 1))
                        .keys({key("global"), key("1")})
                        .stream("rng/numpy/pos#2", scalar(624))
                        .keys({key("global"), key("2")});
  const auto found = align(live.tree(), file.tree());
  EXPECT_EQ(filed_under(found, live, "rng/numpy"), "rng/numpy#2");
  EXPECT_EQ(filed_under(found, live, "rng/numpy/pos"), "rng/numpy/pos#2");
  EXPECT_EQ(filed_under(found, live, "rng/generator.env"), "rng/numpy");
  EXPECT_EQ(filed_under(found, live, "rng/generator.env/pos"), "rng/numpy/pos differs");
}

TEST(Align, AFlatVectorHoldsItsParts) {
  const auto live = State()
                        .parameter("model/a", ramp(8, 1))
                        .parameter("model/b", ramp(12, 2))
                        .parameter("model/c", ramp(8, 9));
  auto flat = ramp(8, 1);
  const auto rest = ramp(12, 2);
  flat.bytes.insert(flat.bytes.end(), rest.bytes.begin(), rest.bytes.end());
  flat.shape = {20};
  const auto file = State().tensor("extra/vector", flat, "");
  const auto found = align(live.tree(), file.tree());
  ASSERT_TRUE(match_of(found, live, "model/b"));
  EXPECT_EQ(match_of(found, live, "model/b")->slice_byte, 32u);
  EXPECT_EQ(match_of(found, live, "model/a")->slice_byte, 0u);
  EXPECT_FALSE(match_of(found, live, "model/c"));
  EXPECT_TRUE(found.unmatched.empty());
}

/// The place of "loop/part" in a file that holds `whole` under `path`.
std::optional<std::uint64_t> place_of_part(const char* how, std::int64_t storage,
                                           const std::string& path) {
  auto part = ramp(20, 1);
  part.bytes.erase(part.bytes.begin(), part.bytes.begin() + 32);
  part.shape = {12};
  const auto live = State()
                        .parameter("model/w", ramp(20, 1))
                        .storage(1)
                        .tensor("loop/part", part, how)
                        .storage(storage);
  const auto file = State().parameter(path, ramp(20, 1));
  const auto found = align(live.tree(), file.tree());
  const auto* match = match_of(found, live, "loop/part");
  return match ? match->slice_byte : std::nullopt;
}

TEST(Align, UndeclaredStateIsNoPartOfWhatDeclaredStateExplains) {
  for (const char* how : {"frame", "attribute"}) {
    EXPECT_EQ(place_of_part(how, 2, "model/w"), std::nullopt) << how;
    EXPECT_EQ(place_of_part(how, 1, "model/w"), 32u) << how << ": a view of it";
    EXPECT_EQ(place_of_part(how, -1, "model/w"), std::nullopt) << how;
  }
  EXPECT_EQ(place_of_part("state_dict", 2, "model/w"), 32u);
}

TEST(Align, UndeclaredStateMayBeAPartOfWhatNothingElseExplains) {
  const auto live =
      State().parameter("model/w", ramp(20, 3)).tensor("loop/ema", ramp(8, 1), "frame");
  const auto file = State().parameter("model/w", ramp(20, 3)).tensor("extra/flat", ramp(20, 1), "");
  const auto found = align(live.tree(), file.tree());
  ASSERT_TRUE(match_of(found, live, "loop/ema"));
  EXPECT_EQ(match_of(found, live, "loop/ema")->slice_byte, 0u);
}

TEST(Align, AStepIsTheSameNumberInAnyRepresentation) {
  const auto live = State().slot("w", "step", 0, scalar(4)).parameter("model/w", ramp(8, 1));
  const auto file = State()
                        .value("optimizer/state/w/step", Value(std::int64_t{4}), "")
                        .parameter("model/w", ramp(8, 1));
  const auto found = align(live.tree(), file.tree());
  const auto* match = match_of(found, live, "optimizer/state/w/step");
  ASSERT_TRUE(match);
  EXPECT_TRUE(match->equal);
  EXPECT_TRUE(match->drifted);
}

TEST(Align, TiedWeightsMayBeStoredOnce) {
  const auto live =
      State().parameter("model/embed", ramp(16, 1)).parameter("model/head", ramp(16, 1));
  const auto file = State().parameter("model/embed", ramp(16, 1));
  const auto found = align(live.tree(), file.tree());
  EXPECT_EQ(filed_under(found, live, "model/head"), "model/embed");
}

TEST(Align, ARankIsHeldAgainstItsOwnPart) {
  const auto live = State().stream("rng/torch.cpu", ramp(8, 7));
  const auto file = State()
                        .stream("rng/torch.cpu", ramp(8, 1))
                        .trait("rank", "0")
                        .stream("rng/torch.cpu#2", ramp(8, 2))
                        .trait("rank", "1");
  EXPECT_EQ(filed_under(align(live.tree(), file.tree(), 1), live, "rng/torch.cpu"),
            "rng/torch.cpu#2 differs");
  EXPECT_EQ(filed_under(align(live.tree(), file.tree(), 0), live, "rng/torch.cpu"),
            "rng/torch.cpu differs");
  EXPECT_FALSE(match_of(align(live.tree(), file.tree(), 5), live, "rng/torch.cpu"))
      << "no part of its own";
}

TEST(Align, AShardIsHeldAgainstItsPartOfAWholeTensor) {
  auto rows = ramp(24, 1), upper = ramp(24, 1), other = ramp(24, 2);
  rows.shape = {6, 4};
  upper.shape = other.shape = {3, 4};
  upper.bytes.erase(upper.bytes.begin(), upper.bytes.begin() + 48);
  other.bytes.resize(48);
  const auto live = State()
                        .parameter("model/w", upper)
                        .parameter("model/v", other)
                        .parameter("model/none", filled(0, 0));
  const auto file =
      State().parameter("model/w", rows).parameter("model/v", rows).parameter("model/none", rows);
  const auto captured = live.tree(), filed = file.tree();
  const auto found = align(captured, filed);
  EXPECT_EQ(filed_under(found, live, "model/w"), "model/w");
  EXPECT_EQ(match_of(found, live, "model/w")->slice_byte, 48u);
  EXPECT_EQ(filed_under(found, live, "model/v"), "model/v differs");
  EXPECT_EQ(filed_under(found, live, "model/none"), "model/none");
}

TEST(Align, TheShapeOfAParameterIsNotTheParameter) {
  using Counts = std::vector<std::int64_t>;
  const auto live = State().parameter("model/a.bias", ramp(3, 1));
  const auto shape = State().value("extra/model/a.bias", Value(Numbers{Counts{32}}), "");
  const auto list = State().value("extra/model/a.bias", Value(Numbers{Counts{3, 2, 9}}), "");
  EXPECT_EQ(filed_under(align(live.tree(), shape.tree()), live, "model/a.bias"), "");
  EXPECT_EQ(filed_under(align(live.tree(), list.tree()), live, "model/a.bias"),
            "extra/model/a.bias differs");
}

TEST(Align, ATensorWithoutElementsIsNotTheLiveOne) {
  const auto live = State().parameter("model/w", ramp(8, 1)).parameter("model/b", filled(0, 0));
  const auto file = State().parameter("model/w", filled(0, 0)).parameter("model/b", filled(0, 0));
  const auto captured = live.tree(), filed = file.tree();
  const auto found = align(captured, filed);
  EXPECT_EQ(filed_under(found, live, "model/w"), "");
  EXPECT_EQ(filed_under(found, live, "model/b"), "model/b");
  EXPECT_TRUE(found.unmatched.empty());
}

TEST(Align, APartOfAnotherRankCountsWhereItIsEqualOrSharedByAll) {
  const auto live = State()
                        .stream("rng/torch.cpu", ramp(8, 7))
                        .value("dataloader/sampler/index", Value(std::int64_t{20}), "loader")
                        .parameter("model/w", ramp(8, 3));
  const auto file = State()
                        .stream("rng/torch.cpu", ramp(8, 7))
                        .trait("rank", "0")
                        .value("dataloader/sampler/index", Value(std::int64_t{16}), "loader")
                        .trait("rank", "0")
                        .parameter("model/w", ramp(8, 4))
                        .trait("rank", "0");
  const auto found = align(live.tree(), file.tree(), 1);
  EXPECT_EQ(filed_under(found, live, "rng/torch.cpu"), "rng/torch.cpu");
  EXPECT_FALSE(match_of(found, live, "dataloader/sampler/index"));
  EXPECT_EQ(filed_under(found, live, "model/w"), "model/w differs");
}

TEST(Align, WhatNobodySawLiveIsListed) {
  const auto live = State().parameter("model/w", ramp(8, 1));
  const auto file = State().parameter("model/w", ramp(8, 1)).tensor("extra/queue", ramp(8, 5), "");
  const auto found = align(live.tree(), file.tree());
  ASSERT_EQ(found.unmatched.size(), 1u);
  EXPECT_EQ(found.unmatched.front()->field.path.text(), "extra/queue");
}

}  // namespace
}  // namespace samestep
