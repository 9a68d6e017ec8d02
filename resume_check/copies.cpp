#include "resume_check/copies.h"

#include <algorithm>
#include <set>

#include "resume_check/numbers.h"

namespace samestep {
namespace {

/// A digest that stands for the absence of equality: of a copy that equals no other one.
Digest other_than(const Digest& digest, std::uint64_t salt) {
  return {digest.high ^ (0x9E3779B97F4A7C15u + salt), digest.low};
}

std::optional<Digest> telling_load(const StepLog& log, const FieldPath& path,
                                   const Digest& captured) {
  const auto found = log.loaded.find(path.text());
  if (found == log.loaded.end() || found->second.empty()) return std::nullopt;
  const auto& seen = found->second;
  // a later load call that wrote something else over the right value has overwritten it
  if (std::find(seen.begin(), seen.end(), captured) != seen.end()) return captured;
  return seen.back();
}

/// Found by its name alone, and of another value: where the resumed run is right, it is another
/// thing of that name.
bool is_guess(const std::optional<Match>& match) {
  return match && match->basis == Basis::name && !match->equal;
}

FieldFate fate_of_captured(const RankRecord& uninterrupted, std::size_t index,
                           const Alignment& alignment, const RankRecord& resumed) {
  const auto& entry = uninterrupted.tree.entries()[index];
  FieldFate fate;
  fate.path = entry.field.path;
  fate.rank = uninterrupted.rank;
  fate.captured = &entry;
  fate.match = alignment.matches[index];
  fate.restored = resumed.tree.find(entry.field.path);
  const Digest value = entry.field.digest.value_or(Digest{});
  Copies copies{value, std::nullopt, std::nullopt, std::nullopt};
  if (fate.match) copies.checkpointed = fate.match->equal ? value : other_than(value, 1);
  if (fate.restored) {
    const bool equal = equal_live(entry, *fate.restored);
    copies.restored = equal ? value : other_than(value, 2);
    fate.drifted = equal && entry.field.digest != fate.restored->field.digest;
    if (equal && is_guess(fate.match)) {
      fate.match.reset();
      copies.checkpointed.reset();
    }
  }
  fate.loaded = copies.loaded = telling_load(resumed.log, entry.field.path, value);
  fate.fate = fate_of(copies);
  return fate;
}

}  // namespace

bool equal_live(const StateEntry& captured, const StateEntry& restored) {
  if (captured.field.digest && captured.field.digest == restored.field.digest) return true;
  if (captured.field.kind == FieldKind::opaque && restored.field.kind == FieldKind::opaque) {
    return captured.field.class_name == restored.field.class_name;
  }
  const auto a = number_of(captured), b = number_of(restored);
  return a && b && equal_in_value(captured, restored);
}

std::vector<FieldFate> fates_of(const RankRecord& uninterrupted, const Alignment& alignment,
                                const RankRecord& resumed) {
  std::set<std::string> dead(uninterrupted.log.dead_gradients.begin(),
                             uninterrupted.log.dead_gradients.end());
  dead.insert(resumed.log.dead_gradients.begin(), resumed.log.dead_gradients.end());
  std::vector<FieldFate> fates;
  const auto& captured = uninterrupted.tree.entries();
  for (std::size_t i = 0; i < captured.size(); ++i) {
    if (dead.contains(captured[i].field.path.text())) continue;
    fates.push_back(fate_of_captured(uninterrupted, i, alignment, resumed));
  }
  for (const auto& entry : resumed.tree.entries()) {
    if (uninterrupted.tree.find(entry.field.path) || dead.contains(entry.field.path.text()))
      continue;
    FieldFate extra;
    extra.path = entry.field.path;
    extra.rank = resumed.rank;
    extra.restored = &entry;
    extra.fate = Fate::extra;
    fates.push_back(std::move(extra));
  }
  return fates;
}

}  // namespace samestep
