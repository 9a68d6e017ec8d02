#include "resume_check/grade.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <string_view>

#include "resume_check/numbers.h"

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

/// What the object's own state_dict() reads, it has said to be state.
bool is_of_state_dict(const Field& field) { return has_trait(field, "saved_by", "state_dict"); }

/// Names under which trainers keep what decides when training stops and which checkpoint is best
/// ("num_bad_epochs", "best_loss", "wait_count"): it shows long after the steps that are compared.
bool waits_for_the_best(const FieldPath& path) {
  constexpr std::array<std::string_view, 8> kWords{"best",    "bad",      "wait",    "waited",
                                                   "improve", "improved", "plateau", "patience"};
  return has_word(path.leaf(), kWords);
}

/// Averaged weights, which show when somebody reads them: long after the compared steps.
bool is_average(const FieldFate& fate) {
  constexpr std::array<std::string_view, 7> kWords{"ema",    "avg",     "average", "averaged",
                                                   "shadow", "teacher", "swa"};
  const Field& field = fate.field();
  if (field.kind != FieldKind::tensor) return false;
  const auto parts = fate.path.parts();
  return field.role == Role::average ||
         std::ranges::any_of(parts, [&](const auto& part) { return has_word(part, kWords); });
}

/// What the resumed run's model does not have yet its forward makes of nothing: a cache, a mask, a
/// flag. Had it carried anything over, the steps would part.
bool made_by_forward(const FieldFate& fate, const GapFacts& facts) {
  return facts.lone && fate.captured && fate.path.component_kind() == "model";
}

/// A phase, or the name of a run or a kind: one that never changes decides nothing anew.
bool is_word(const Field& field) { return has_trait(field, "text", "word"); }

Weight weigh_attribute(const FieldFate& fate, const GapFacts& facts) {
  if (!facts.moved || fate.fate == Fate::extra)
    return is_word(fate.field()) ? Weight::warning : Weight::as_last;
  const bool gone = facts.lone && fate.captured;
  if (is_of_state_dict(fate.field()) || waits_for_the_best(fate.path))
    return facts.reset || gone ? Weight::confirmed : Weight::with_effect;
  if (facts.set_anew || facts.cached || made_by_forward(fate, facts)) return Weight::with_effect;
  if (is_average(fate)) return Weight::confirmed;
  const bool known = is_recognised(fate.path.component_kind());
  return (facts.reset || gone) && known ? Weight::confirmed : Weight::with_effect;
}

/// A private generator that only one of the runs has at the step may be made for a batch, or for
/// the way to the first one. One that is made anew for each batch follows from what seeds it.
Weight weigh_stream(const FieldFate& fate, const GapFacts& facts) {
  if (!facts.drawn) return Weight::warning;
  if (fate.fate == Fate::extra) return Weight::as_last;
  const bool is_private = stream_of(fate.path).starts_with("rng/generator.");
  return is_private && (!fate.restored || facts.remade) ? Weight::with_effect : Weight::confirmed;
}

/// Zeros that something is added to are as no gradient; a parameter that gets none is stepped by
/// its decay and its moments all the same, which the steps show. So they do for one that is frozen
/// and in no optimizer.
Weight weigh_gradient(const FieldFate& fate, const GapFacts& facts) {
  const bool idle = has_trait(fate.field(), "owner", "none");
  return facts.zeros || idle ? Weight::with_effect : Weight::confirmed;
}

}  // namespace

bool has_word(std::string_view name, std::span<const std::string_view> words) {
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find_first_of("_.", begin), name.size());
    const auto word = name.substr(begin, end - begin);
    if (std::find(words.begin(), words.end(), word) != words.end()) return true;
    begin = end + 1;
  }
  return false;
}

bool is_all_zero(const StateEntry& entry) {
  if (!entry.bytes || entry.bytes->size() == 0) return false;
  bool zero = true;
  entry.bytes->stream([&](std::span<const std::byte> piece) {
    zero = zero && std::all_of(piece.begin(), piece.end(),
                               [](std::byte byte) { return byte == std::byte{0}; });
  });
  return zero;
}

bool is_leading_part(const StateEntry& a, const StateEntry& b) {
  constexpr std::uint64_t kBytesMax = 64ull << 20;
  const Field &one = a.field, &other = b.field;
  if (one.kind != FieldKind::tensor || other.kind != FieldKind::tensor || one.dtype != other.dtype)
    return false;
  if (one.shape.empty() || one.shape.size() != other.shape.size() || one.shape == other.shape)
    return false;
  const bool is_smaller = std::ranges::equal(one.shape, other.shape, std::less_equal<>());
  if (!is_smaller && !std::ranges::equal(one.shape, other.shape, std::greater_equal<>()))
    return false;
  const auto& shape = is_smaller ? one.shape : other.shape;
  const auto& whole = is_smaller ? other.shape : one.shape;
  const auto part = read_all(is_smaller ? a : b, kBytesMax);
  const auto all = read_all(is_smaller ? b : a, kBytesMax);
  const std::uint64_t row = static_cast<std::uint64_t>(shape.back()) * element_bytes(one.dtype);
  const std::uint64_t whole_row =
      static_cast<std::uint64_t>(whole.back()) * element_bytes(one.dtype);
  if (row == 0 || part.empty() || all.empty()) return false;
  for (std::uint64_t i = 0; i < part.size() / row; ++i) {
    std::uint64_t left = i, place = 0, stride = 1;
    for (std::size_t d = shape.size() - 1; d-- > 0;) {
      const auto extent = static_cast<std::uint64_t>(shape[d]);
      place += left % extent * stride;
      left /= extent;
      stride *= static_cast<std::uint64_t>(whole[d]);
    }
    if (place * whole_row + row > all.size()) return false;
    if (std::memcmp(part.data() + i * row, all.data() + place * whole_row, row) != 0) return false;
  }
  return true;
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
  if (fate.fate == Fate::extra) return is_word(fate.field()) ? Weight::warning : Weight::as_last;
  // two resumed runs that see other batches say that no state of this kind was there to be lost
  if (is_next_batch(fate.path)) return facts.unstable ? Weight::warning : Weight::confirmed;
  if (kind == "gradients") return weigh_gradient(fate, facts);
  if (kind == "dataloader") return Weight::with_batches;
  if (how == "attribute") return weigh_attribute(fate, facts);
  // a rate that was set anew between the save and the step follows from what sets it
  if (fate.as_saved && fate.fate != Fate::miswritten) return Weight::with_effect;
  if (how == "buffer_nonpersistent" &&
      (facts.set_anew || facts.cached || made_by_forward(fate, facts)))
    return Weight::with_effect;
  return Weight::confirmed;
}

std::string stream_of(const FieldPath& path) {
  const auto parts = path.parts();
  if (parts.size() < 2 || path.component_kind() != "rng") return {};
  return FieldPath::of({parts[0], parts[1]}).text();
}

bool has_trait(const Field& field, const std::string& name, std::string_view value) {
  const auto trait = field.traits.find(name);
  return trait != field.traits.end() && trait->second == value;
}

std::string declared(const Field& field) {
  const auto trait = field.traits.find("declared");
  return trait == field.traits.end() ? std::string() : trait->second;
}

bool is_undeclared(const Field& field) {
  const auto how = declared(field);
  return how == "attribute" || how == "frame" || how == "loader";
}

int causal_rank(const FieldPath& path) {
  const auto found = std::find(kCausalOrder.begin(), kCausalOrder.end(), path.component_kind());
  return static_cast<int>(found - kCausalOrder.begin());
}

bool is_next_batch(const FieldPath& path) {
  return path.component_kind() == "dataloader" && path.leaf() == "next_batch";
}

}  // namespace samestep
