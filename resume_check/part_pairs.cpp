#include "resume_check/part_pairs.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include "schemas/field.h"

namespace samestep {
namespace {

/// "extra/models/generator": parts of a private layout lie no deeper.
constexpr std::size_t kDepthMax = 3;

struct Votes {
  std::size_t count = 0;
  bool own_name = false;
  std::string live, filed;
};

bool is_numbered_kind(std::string_view kind) {
  return kind == "model" || kind == "optimizer" || kind == "lr_scheduler" || kind == "grad_scaler";
}

std::map<std::string, std::set<std::string>> live_parts(const StateTree& captured) {
  std::map<std::string, std::set<std::string>> parts;  // kind -> components
  for (const auto& entry : captured.entries()) {
    const std::string kind = entry.field.path.component_kind();
    if (is_numbered_kind(kind)) parts[kind].insert(entry.field.path.component());
  }
  std::erase_if(parts, [](const auto& part) { return part.second.size() < 2; });
  return parts;
}

/// Last name and digest -> the parts of the file that may be of `kind` and hold it.
using Holders = std::map<std::pair<std::string, std::string>, std::set<std::string>>;

std::pair<std::string, std::string> value_of(const Field& field) {
  return {field.path.leaf(), field.digest->hex()};
}

Holders holders_of(const StateTree& checkpoint, std::string_view kind) {
  Holders holders;
  for (const auto& entry : checkpoint.entries()) {
    const auto& path = entry.field.path;
    if (!entry.field.digest) continue;
    if (path.component_kind() == kind) holders[value_of(entry.field)].insert(path.component());
    if (path.component_kind() != "extra") continue;
    const auto words = path.parts();
    std::vector<std::string> prefix{words[0]};
    for (std::size_t depth = 1; depth < kDepthMax && depth + 1 < words.size(); ++depth) {
      prefix.push_back(words[depth]);
      holders[value_of(entry.field)].insert(FieldPath::of(prefix).text());
    }
  }
  return holders;
}

std::vector<Votes> votes_of(const StateTree& captured, const std::set<std::string>& live,
                            const Holders& holders) {
  std::map<std::pair<std::string, std::string>, std::size_t> counts;
  for (const auto& entry : captured.entries()) {
    const std::string component = entry.field.path.component();
    if (!live.contains(component) || !entry.field.digest) continue;
    const auto found = holders.find(value_of(entry.field));
    if (found == holders.end()) continue;
    for (const auto& part : found->second) ++counts[{component, part}];
  }
  std::vector<Votes> votes;
  for (const auto& [pair, count] : counts)
    votes.push_back({count, pair.first == pair.second, pair.first, pair.second});
  // Most values first; a part's own name, then the longer path, which says more, win a tie.
  std::stable_sort(votes.begin(), votes.end(), [](const Votes& a, const Votes& b) {
    return std::tuple(a.count, a.own_name, a.filed.size()) >
           std::tuple(b.count, b.own_name, b.filed.size());
  });
  return votes;
}

}  // namespace

std::unordered_map<std::string, std::string> pair_parts(const StateTree& captured,
                                                        const StateTree& checkpoint) {
  std::unordered_map<std::string, std::string> pairs;
  for (const auto& [kind, live] : live_parts(captured)) {
    std::set<std::string> taken;
    for (const auto& vote : votes_of(captured, live, holders_of(checkpoint, kind))) {
      const auto overlaps = [&](const std::string& other) {
        return other == vote.filed || other.starts_with(vote.filed + "/") ||
               vote.filed.starts_with(other + "/");
      };
      if (pairs.contains(vote.live) || std::ranges::any_of(taken, overlaps)) continue;
      pairs.emplace(vote.live, vote.filed);
      taken.insert(vote.filed);
    }
  }
  return pairs;
}

}  // namespace samestep
