#include "resume_check/fold.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>

#include "resume_check/digests.h"
#include "resume_check/grade.h"
#include "schemas/count_text.h"

namespace samestep {
namespace {

constexpr std::size_t kItemsMin = 8;
constexpr std::size_t kNamesMax = 3;

using ByPath = std::unordered_map<std::string, const FieldFate*>;

ByPath by_path(const std::vector<FieldFate>& fates) {
  ByPath found;
  for (const FieldFate& fate : fates) found.emplace(fate.path.text(), &fate);
  return found;
}

const FieldFate* fate_of_gap(const ByPath& fates, const WeighedFinding& gap) {
  const auto found = fates.find(gap.finding.field);
  return found == fates.end() ? nullptr : found->second;
}

/// Numbers that are counts or settings are equal by accident; a measured one is not.
bool tells_itself(const StateEntry& entry) {
  if (is_distinctive(entry)) return true;
  const auto& value = entry.field.value;
  const auto* real = value ? std::get_if<double>(&*value) : nullptr;
  if (!real || !std::isfinite(*real)) return false;
  constexpr double kSettingsScale = 1e6;  // 0.9, 1e-3: what somebody writes down
  const double scaled = *real * kSettingsScale;
  return scaled != std::round(scaled);
}

/// What two names of one value have in common.
using Same = std::tuple<Fate, Digest, bool, Digest>;

std::optional<Same> same_of(const FieldFate& fate) {
  if (is_next_batch(fate.path) || !is_undeclared(fate.field())) return std::nullopt;
  const StateEntry* live = fate.captured ? fate.captured : fate.restored;
  if (!live->field.digest || !tells_itself(*live)) return std::nullopt;
  const bool both = fate.captured && fate.restored;
  return Same{fate.fate, *live->field.digest, both,
              both ? fate.restored->field.digest.value_or(Digest{}) : Digest{}};
}

std::size_t depth(const WeighedFinding& gap) { return FieldPath(gap.finding.field).parts().size(); }

/// The name to keep comes first.
bool is_nearer(const WeighedFinding& a, const WeighedFinding& b) {
  const auto key = [](const WeighedFinding& gap) {
    return std::tuple(gap.weight, causal_rank(FieldPath(gap.finding.field)), depth(gap),
                      gap.finding.field);
  };
  return key(a) < key(b);
}

std::string names_of(const std::vector<std::string>& fields) {
  std::string text;
  for (std::size_t i = 0; i < std::min(fields.size(), kNamesMax); ++i)
    text += (text.empty() ? "" : ", ") + fields[i];
  if (fields.size() > kNamesMax) text += " and " + count_text(fields.size() - kNamesMax, "other");
  return text;
}

/// "loop/memory" of "loop/memory/3/reward".
std::optional<std::pair<std::string, std::string>> list_and_index(const FieldPath& path) {
  const auto parts = path.parts();
  for (std::size_t i = 2; i < parts.size(); ++i) {
    const auto& part = parts[i];
    const bool index = !part.empty() && std::all_of(part.begin(), part.end(), [](char c) {
      return std::isdigit(static_cast<unsigned char>(c)) != 0;
    });
    if (!index) continue;
    const std::vector<std::string> list(parts.begin(), parts.begin() + static_cast<long>(i));
    return std::pair(FieldPath::of(list).text(), part);
  }
  return std::nullopt;
}

struct List {
  std::set<std::string> indexes;
  std::set<std::size_t> gaps;
  std::map<Fate, std::size_t> fates;
  std::size_t heaviest = 0;  ///< of the gaps, the one that stands for all
};

std::map<std::string, List> lists_in(const std::vector<WeighedFinding>& gaps, const ByPath& fates) {
  std::map<std::string, List> lists;
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    const FieldFate* fate = fate_of_gap(fates, gaps[i]);
    if (!fate || !is_undeclared(fate->field())) continue;
    const auto place = list_and_index(fate->path);
    if (!place) continue;
    List& list = lists[place->first];
    if (list.gaps.empty() || gaps[i].weight < gaps[list.heaviest].weight) list.heaviest = i;
    list.indexes.insert(place->second);
    list.gaps.insert(i);
    ++list.fates[fate->fate];
  }
  std::erase_if(lists, [](const auto& item) { return item.second.indexes.size() < kItemsMin; });
  return lists;
}

WeighedFinding folded(const std::string& path, const List& list, const WeighedFinding& first) {
  WeighedFinding gap = first;
  Finding& finding = gap.finding;
  finding.evidence.insert(finding.evidence.begin(), count_text(list.gaps.size(), "value") + " in " +
                                                        count_text(list.indexes.size(), "item") +
                                                        " of it; the first is " + finding.field);
  finding.field = path;
  finding.fate = std::max_element(list.fates.begin(), list.fates.end(), [](auto& a, auto& b) {
                   return a.second < b.second;
                 })->first;
  return gap;
}

}  // namespace

void fold_names(std::vector<WeighedFinding>& gaps, const std::vector<FieldFate>& fates) {
  const ByPath known = by_path(fates);
  std::map<Same, std::size_t> kept;  // the gap that stays
  std::map<std::size_t, std::vector<std::string>> others;
  std::vector<std::size_t> order(gaps.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return is_nearer(gaps[a], gaps[b]); });
  std::set<std::size_t> gone;
  for (const std::size_t i : order) {
    const FieldFate* fate = fate_of_gap(known, gaps[i]);
    const auto same = fate ? same_of(*fate) : std::nullopt;
    if (!same) continue;
    const auto [first, fresh] = kept.emplace(*same, i);
    if (fresh) continue;
    others[first->second].push_back(gaps[i].finding.field);
    gone.insert(i);
  }
  for (const auto& [i, fields] : others)
    gaps[i].finding.evidence.push_back("the same value is also met as " + names_of(fields));
  std::size_t place = 0;
  std::erase_if(gaps, [&](const WeighedFinding&) { return gone.contains(place++); });
}

void fold_items(std::vector<WeighedFinding>& gaps, const std::vector<FieldFate>& fates) {
  const auto lists = lists_in(gaps, by_path(fates));
  if (lists.empty()) return;
  std::vector<WeighedFinding> rest;
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    const auto list = std::find_if(lists.begin(), lists.end(),
                                   [&](const auto& item) { return item.second.gaps.contains(i); });
    if (list == lists.end()) {
      rest.push_back(std::move(gaps[i]));
    } else if (list->second.heaviest == i) {
      rest.push_back(folded(list->first, list->second, gaps[i]));
    }
  }
  gaps = std::move(rest);
}

}  // namespace samestep
