#include "resume_check/grade.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace samestep {
namespace {

constexpr std::array<std::string_view, 9> kCausalOrder{"dataloader",  "rng",       "model",
                                                       "gradients",   "optimizer", "lr_scheduler",
                                                       "grad_scaler", "ema",       "extra"};

/// Kinds of objects whose undeclared counters are known to steer training.
bool is_recognised(std::string_view kind) {
  return kind == "ema" || kind == "lr_scheduler" || kind == "grad_scaler" || kind == "optimizer" ||
         kind == "model";
}

Weight weigh_attribute(const FieldFate& fate, const GapFacts& facts) {
  if (!facts.moved || fate.fate == Fate::extra) return Weight::as_last;
  const bool known = is_recognised(fate.path.component_kind());
  return facts.reset && known ? Weight::confirmed : Weight::with_effect;
}

/// A private generator that only one of the runs has at the step may be made for a batch, or for
/// the way to the first one.
Weight weigh_stream(const FieldFate& fate, const GapFacts& facts) {
  if (!facts.drawn) return Weight::warning;
  if (fate.fate == Fate::extra) return Weight::as_last;
  const bool is_private = stream_of(fate.path).starts_with("rng/generator.");
  return is_private && !fate.restored ? Weight::with_effect : Weight::confirmed;
}

/// Zeros that something is added to are as no gradient; a parameter that gets none is stepped by
/// its decay and its moments all the same, which the steps show. So they do for one that is frozen
/// and in no optimizer.
Weight weigh_gradient(const FieldFate& fate, const GapFacts& facts) {
  const auto& traits = fate.field().traits;
  const auto owner = traits.find("owner");
  const bool idle = owner != traits.end() && owner->second == "none";
  return facts.zeros || idle ? Weight::with_effect : Weight::confirmed;
}

}  // namespace

bool is_all_zero(const StateEntry& entry) {
  if (!entry.bytes || entry.bytes->size() == 0) return false;
  bool zero = true;
  entry.bytes->stream([&](std::span<const std::byte> piece) {
    zero = zero && std::all_of(piece.begin(), piece.end(),
                               [](std::byte byte) { return byte == std::byte{0}; });
  });
  return zero;
}

Weight weigh(const FieldFate& fate, const GapFacts& facts) {
  if (fate.fate == Fate::healed || fate.fate == Fate::unwatched) return Weight::warning;
  const auto kind = fate.path.component_kind();
  if (kind == "rng") return weigh_stream(fate, facts);
  const auto how = declared(fate.field());
  const bool loose = how == "attribute" || how == "frame";
  if (facts.unstable && loose) return Weight::warning;
  if (facts.miscounted) return Weight::confirmed;
  // a variable that one leg alone has is what was built for a save, or came out of the file
  if (how == "frame" && facts.lone) return Weight::warning;
  if (how == "frame") return facts.moved ? Weight::as_last : Weight::warning;
  if (fate.fate == Fate::extra) return Weight::as_last;
  // two resumed runs that see other batches say that no state of this kind was there to be lost
  if (is_next_batch(fate.path)) return facts.unstable ? Weight::warning : Weight::confirmed;
  if (kind == "gradients") return weigh_gradient(fate, facts);
  if (kind == "dataloader") return Weight::with_batches;
  if (how == "attribute") return weigh_attribute(fate, facts);
  return Weight::confirmed;
}

std::string stream_of(const FieldPath& path) {
  const auto parts = path.parts();
  if (parts.size() < 2 || path.component_kind() != "rng") return {};
  return FieldPath::of({parts[0], parts[1]}).text();
}

std::string declared(const Field& field) {
  const auto trait = field.traits.find("declared");
  return trait == field.traits.end() ? std::string() : trait->second;
}

int causal_rank(const FieldPath& path) {
  const auto found = std::find(kCausalOrder.begin(), kCausalOrder.end(), path.component_kind());
  return static_cast<int>(found - kCausalOrder.begin());
}

bool is_next_batch(const FieldPath& path) {
  return path.component_kind() == "dataloader" && path.leaf() == "next_batch";
}

}  // namespace samestep
