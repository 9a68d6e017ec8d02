#include "resume_check/op_align.h"

#include <algorithm>
#include <map>

namespace samestep {
namespace {

using Lane = std::vector<const OpRecord*>;

// How far ahead the legs are looked for a place where they go on alike, and for how long they must.
constexpr std::size_t kAheadMax = 512, kAlikeMin = 3;

std::map<std::uint64_t, Lane> lanes_of(const std::vector<OpRecord>& operators) {
  std::map<std::uint64_t, Lane> lanes;
  for (const OpRecord& op : operators) lanes[op.lane].push_back(&op);
  return lanes;
}

bool alike(const OpRecord& a, const OpRecord& b) {
  return a.name == b.name && a.overload == b.overload && a.phase == b.phase;
}

bool go_on_alike(const Lane& source, std::size_t i, const Lane& target, std::size_t j) {
  for (std::size_t k = 0; k < kAlikeMin; ++k) {
    const bool source_ends = i + k == source.size(), target_ends = j + k == target.size();
    if (source_ends || target_ends) return source_ends && target_ends && k > 0;
    if (!alike(*source[i + k], *target[j + k])) return false;
  }
  return true;
}

/// How many operators of each leg to leave out, as few as possible; both ends when there is no
/// such place.
std::pair<std::size_t, std::size_t> gap(const Lane& source, std::size_t i, const Lane& target,
                                        std::size_t j) {
  const std::size_t source_left = source.size() - i, target_left = target.size() - j;
  for (std::size_t sum = 1; sum <= kAheadMax; ++sum) {
    for (std::size_t of_source = 0; of_source <= std::min(sum, source_left); ++of_source) {
      const std::size_t of_target = sum - of_source;
      if (of_target > target_left) continue;
      if (go_on_alike(source, i + of_source, target, j + of_target)) return {of_source, of_target};
    }
  }
  return {source_left, target_left};
}

/// With the number of the last operator of the source's lane, by which lanes are put together.
using Numbered = std::pair<std::uint64_t, OpPair>;

void align(const Lane& source, const Lane& target, std::vector<Numbered>& pairs) {
  std::size_t i = 0, j = 0;
  const auto add = [&](const OpRecord* a, const OpRecord* b) {
    const std::uint64_t last = i > 0 ? source[i - 1]->number : 0;
    pairs.push_back({a ? a->number : last, {a, b}});
  };
  while (i < source.size() || j < target.size()) {
    if (i < source.size() && j < target.size() && alike(*source[i], *target[j])) {
      add(source[i], target[j]);
      ++i, ++j;
      continue;
    }
    const auto [of_source, of_target] = gap(source, i, target, j);
    for (std::size_t k = 0; k < of_source; ++k, ++i) add(source[i], nullptr);
    for (std::size_t k = 0; k < of_target; ++k, ++j) add(nullptr, target[j]);
  }
}

}  // namespace

std::vector<OpPair> align_operators(const std::vector<OpRecord>& source,
                                    const std::vector<OpRecord>& target) {
  auto before = lanes_of(source), after = lanes_of(target);
  for (const auto& [lane, operators] : after) before[lane];
  std::vector<Numbered> numbered;
  for (const auto& [lane, operators] : before) align(operators, after[lane], numbered);
  std::ranges::stable_sort(numbered, {}, &Numbered::first);
  std::vector<OpPair> pairs;
  for (const auto& [number, pair] : numbered) pairs.push_back(pair);
  return pairs;
}

}  // namespace samestep
