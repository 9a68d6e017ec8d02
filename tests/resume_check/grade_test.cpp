#include "resume_check/grade.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "tests/resume_check/fixture.h"

namespace samestep {
namespace {

using testing::ramp;
using testing::State;

struct Row {
  const char* what;
  State state;
  Fate fate;
  GapFacts facts;
  Weight weight;
};

GapFacts facts(bool moved, bool drawn, bool reset, bool unstable) {
  return {moved, drawn, reset, unstable};
}

std::vector<Row> rows_of_attributes() {
  const auto still = facts(false, false, false, false), moved = facts(true, false, false, false);
  const auto reset = facts(true, false, true, false), unstable = facts(true, false, true, true);
  auto lone = moved, set_anew = reset, cached = reset;
  lone.lone = set_anew.set_anew = cached.cached = true;
  return {
      {"counter of an average", State().attribute("ema/updates", 4), Fate::missing, reset,
       Weight::confirmed},
      {"the same, not at construction", State().attribute("ema/updates", 4), Fate::missing, moved,
       Weight::with_effect},
      {"the same, gone", State().attribute("ema/updates", 4), Fate::missing, lone,
       Weight::confirmed},
      {"what each forward leaves on its module", State().attribute("model/entropy", 4),
       Fate::missing, set_anew, Weight::with_effect},
      {"what the object's state_dict() reads",
       State().attribute("extra/stop/counter", 4).trait("saved_by", "state_dict"), Fate::missing,
       reset, Weight::confirmed},
      {"a count towards the end of training", State().attribute("loop/t/num_bad_epochs", 4),
       Fate::missing, reset, Weight::confirmed},
      {"the same, though it is equal again", State().attribute("extra/stop/num_bad_epochs", 4),
       Fate::missing, set_anew, Weight::confirmed},
      {"a mask that the next forward makes", State().attribute("model/mask", 4), Fate::missing,
       lone, Weight::with_effect},
      {"a length beside a cache", State().attribute("model/rope.seq", 4), Fate::missing, cached,
       Weight::with_effect},
      {"averaged weights of an object",
       State().tensor("ema/w", ramp(8, 1), "attribute", Role::average), Fate::not_applied, moved,
       Weight::confirmed},
      {"averaged weights of a module", State().tensor("model/avg.w", ramp(8, 1), "attribute"),
       Fate::missing, moved, Weight::confirmed},
      {"other tensors of a module", State().tensor("model/memory.w", ramp(8, 1), "attribute"),
       Fate::missing, moved, Weight::with_effect},
      {"no such count", State().attribute("loop/t/bestiary", 4), Fate::missing, reset,
       Weight::with_effect},
      {"a phase that is lost", State().attribute("model/phase", 4).trait("text", "word"),
       Fate::missing, reset, Weight::confirmed},
      {"the name of a run", State().attribute("loop/t/name", 4).trait("text", "word"),
       Fate::missing, still, Weight::warning},
      {"a phase of the resumed run alone",
       State().attribute("loop/t/phase", 4).trait("text", "word"), Fate::extra, moved,
       Weight::warning},
      {"attribute of a user's object", State().attribute("extra/thing/count", 4), Fate::missing,
       reset, Weight::with_effect},
      {"the same, differing between resumed legs", State().attribute("ema/updates", 4),
       Fate::missing, unstable, Weight::warning},
      {"attribute that never moves", State().attribute("model/drop.p", 1), Fate::missing, still,
       Weight::as_last},
  };
}

std::vector<Row> rows() {
  const auto still = facts(false, false, false, false), moved = facts(true, false, false, false);
  const auto reset = facts(true, false, true, false), drawn = facts(true, true, false, false);
  const Value four(std::int64_t{4});
  auto miscounted = moved, zeros = moved, lone = moved;
  miscounted.miscounted = zeros.zeros = lone.lone = true;
  const auto gradient = State().tensor("gradients/w", ramp(8, 1), "gradient", Role::gradient);
  return {
      {"parameter", State().parameter("model/w", ramp(8, 1)), Fate::missing, still,
       Weight::confirmed},
      {"slot", State().slot("w", "exp_avg", 0, ramp(8, 1)), Fate::not_applied, moved,
       Weight::confirmed},
      {"healed", State().parameter("model/w", ramp(8, 1)), Fate::healed, moved, Weight::warning},
      {"used stream", State().stream("rng/torch.cpu", ramp(8, 1)), Fate::missing, drawn,
       Weight::confirmed},
      {"unused stream", State().stream("rng/python", ramp(8, 1)), Fate::missing, still,
       Weight::warning},
      {"stream of the resumed run alone", State().stream("rng/generator.g", ramp(8, 1)),
       Fate::extra, drawn, Weight::as_last},
      {"generator that the resumed run has not", State().stream("rng/generator.g", ramp(8, 1)),
       Fate::missing, drawn, Weight::with_effect},
      {"number of a frame", State().frame("loop/step", 4), Fate::missing, reset, Weight::as_last},
      {"count of the loop that was loaded and moved", State().frame("loop/step", 4),
       Fate::lost_after_save, miscounted, Weight::confirmed},
      {"unfinished gradient", gradient, Fate::missing, moved, Weight::confirmed},
      {"gradient of zeros", gradient, Fate::missing, zeros, Weight::with_effect},
      {"gradient that nothing steps with", State(gradient).trait("owner", "none"), Fate::missing,
       moved, Weight::with_effect},
      {"variable that the resumed run alone lacks", State().frame("loop/d/step", 4), Fate::dropped,
       lone, Weight::warning},
      {"frame that never moves", State().frame("loop/start", 4), Fate::missing, still,
       Weight::warning},
      {"extra slot", State().slot("w", "exp_avg", 0, ramp(8, 1)), Fate::extra, moved,
       Weight::as_last},
      {"batch", State().next_batch(3, "loader"), Fate::missing, moved, Weight::confirmed},
      {"loader's insides", State().value("dataloader/_num_yielded", four, "loader"), Fate::missing,
       reset, Weight::with_batches},
  };
}

TEST(Grade, Weights) {
  auto all = rows();
  std::ranges::copy(rows_of_attributes(), std::back_inserter(all));
  for (const auto& row : all) {
    FieldFate fate;
    fate.path = row.state.tree().entries().front().field.path;
    (row.fate == Fate::extra ? fate.restored : fate.captured) = &row.state.tree().entries().front();
    fate.fate = row.fate;
    EXPECT_EQ(weigh(fate, row.facts), row.weight) << row.what;
  }
}

TEST(Grade, AGeneratorThatBothRunsHaveMatters) {
  const auto state = State().stream("rng/generator.mask", ramp(8, 1));
  FieldFate fate;
  fate.captured = fate.restored = &state.tree().entries().front();
  fate.path = fate.captured->field.path;
  fate.fate = Fate::missing;
  auto drawn = facts(true, true, false, false);
  EXPECT_EQ(weigh(fate, drawn), Weight::confirmed);
  drawn.remade = true;
  EXPECT_EQ(weigh(fate, drawn), Weight::with_effect) << "what seeds it for each batch matters";
}

TEST(Grade, ARateThatIsSetBeforeEachStepFollowsFromWhatSetsIt) {
  const auto state = State().declared_value("optimizer/param_groups/0/lr", Value(0.5));
  FieldFate fate;
  fate.path = state.tree().entries().front().field.path;
  fate.captured = fate.restored = &state.tree().entries().front();
  fate.fate = Fate::overwritten;
  EXPECT_EQ(weigh(fate, facts(true, false, false, false)), Weight::confirmed);
  fate.as_saved = true;
  EXPECT_EQ(weigh(fate, facts(true, false, false, false)), Weight::with_effect);
  fate.fate = Fate::miswritten;
  EXPECT_EQ(weigh(fate, facts(true, false, false, false)), Weight::confirmed);
}

TEST(Grade, ABatchThatIsNeverTheSameIsNoFaultOfTheResume) {
  const auto state = State().next_batch(3, "forward_input");
  FieldFate fate;
  fate.path = state.tree().entries().front().field.path;
  fate.captured = &state.tree().entries().front();
  fate.fate = Fate::missing;
  EXPECT_EQ(weigh(fate, facts(true, false, false, true)), Weight::warning);
}

TEST(Grade, StreamsAndOrder) {
  EXPECT_EQ(stream_of(FieldPath("rng/numpy/pos")), "rng/numpy");
  EXPECT_EQ(stream_of(FieldPath("rng/generator.sampler")), "rng/generator.sampler");
  EXPECT_EQ(stream_of(FieldPath("model/w")), "");
  const char* order[] = {
      "dataloader/next_batch",   "rng/torch.cpu",     "model/w", "optimizer.1/state/w/step",
      "lr_scheduler/last_epoch", "grad_scaler/scale", "ema/w",   "loop/step"};
  for (std::size_t i = 1; i < std::size(order); ++i) {
    EXPECT_LT(causal_rank(FieldPath(order[i - 1])), causal_rank(FieldPath(order[i]))) << order[i];
  }
}

TEST(Grade, ZerosOfEitherSignAreToldApart) {
  const State zeros = State().parameter("model/w", testing::filled(8, 0.0f)),
              signed_zeros = State().parameter("model/w", testing::filled(8, -0.0f)),
              ramped = State().parameter("model/w", ramp(8, 1));
  EXPECT_TRUE(is_all_zero(testing::entry(zeros, "model/w")));
  EXPECT_FALSE(is_all_zero(testing::entry(signed_zeros, "model/w")));
  EXPECT_FALSE(is_all_zero(testing::entry(ramped, "model/w")));
  EXPECT_FALSE(is_all_zero(StateEntry{})) << "nothing is known";
}

TEST(Grade, WordsOfNames) {
  constexpr std::array<std::string_view, 2> kWords{"bad", "last"};
  EXPECT_TRUE(has_word("num_bad_epochs", kWords));
  EXPECT_TRUE(has_word("r.last_max", kWords));
  EXPECT_TRUE(has_word("last", kWords));
  EXPECT_FALSE(has_word("badge_lasts", kWords));
  EXPECT_FALSE(has_word("", kWords));
}

TEST(Grade, ACacheOfUnlikeLengthIsALeadingPart) {
  const auto table = [](std::int64_t rows, std::int64_t columns, float fault = 0) {
    testing::Elements made{Dtype::float32, {rows, columns}, {}};
    made.bytes.resize(static_cast<std::size_t>(rows * columns) * 4);
    for (std::int64_t i = 0; i < rows * columns; ++i) {
      const float value = static_cast<float>(i / columns * 100 + i % columns) + fault;
      std::memcpy(made.bytes.data() + i * 4, &value, 4);
    }
    return State().tensor("model/rope.cos", made, "buffer_nonpersistent");
  };
  const auto is_part = [](const State& a, const State& b) {
    return is_leading_part(a.tree().entries().front(), b.tree().entries().front());
  };
  EXPECT_TRUE(is_part(table(4, 3), table(8, 3)));
  EXPECT_TRUE(is_part(table(8, 8), table(4, 4))) << "a square mask";
  EXPECT_TRUE(is_part(table(2, 5), table(2, 9)));
  EXPECT_FALSE(is_part(table(4, 3, 1), table(8, 3)));
  EXPECT_FALSE(is_part(table(4, 3), table(4, 3))) << "of one shape: no cache that grows";
  EXPECT_FALSE(is_part(table(4, 8), table(8, 4)));
  EXPECT_FALSE(is_part(table(4, 3), State().attribute("model/rope.seq", 4)));
}

}  // namespace
}  // namespace samestep
