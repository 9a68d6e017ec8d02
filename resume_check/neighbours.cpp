#include "resume_check/neighbours.h"

#include <algorithm>

#include "resume_check/names.h"

namespace samestep {
namespace {

/// Parts of a path, plain: groups are cut between parts, so "layers.0.weight" stays one.
std::vector<std::string> plain_parts(const FieldPath& path) {
  auto parts = path.parts();
  for (std::size_t i = 1; i < parts.size(); ++i) parts[i] = plain_name(parts[i]);
  return parts;
}

std::vector<std::string> joined(std::vector<std::string> group,
                                const std::vector<std::string>& path, std::size_t tail) {
  group.insert(group.end(), path.end() - static_cast<std::ptrdiff_t>(tail), path.end());
  return group;
}

}  // namespace

Neighbours::Neighbours(const StateTree& checkpoint) {
  for (const auto& entry : checkpoint.entries()) {
    by_words_.emplace(plain_parts(entry.field.path), &entry);
  }
}

void Neighbours::learn(const FieldPath& live, const FieldPath& filed) {
  auto source = plain_parts(live), target = plain_parts(filed);
  while (!source.empty() && !target.empty() && source.back() == target.back()) {
    source.pop_back();
    target.pop_back();
    if (source.empty() || target.empty()) break;
    ++votes_[source][target];
  }
}

const StateEntry* Neighbours::find(const FieldPath& live) const {
  const auto parts = plain_parts(live);
  for (std::size_t tail = 1; tail < parts.size(); ++tail) {
    const std::vector<std::string> group(parts.begin(),
                                         parts.end() - static_cast<std::ptrdiff_t>(tail));
    const auto voted = votes_.find(group);
    if (voted == votes_.end()) continue;
    const auto best =
        std::max_element(voted->second.begin(), voted->second.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    for (auto where = best->first; !where.empty(); where.pop_back()) {
      const auto found = by_words_.find(joined(where, parts, tail));
      if (found != by_words_.end()) return found->second;
      if (where.size() + 1 < best->first.size()) break;
    }
  }
  return nullptr;
}

}  // namespace samestep
