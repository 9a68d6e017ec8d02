#include "checkpoint/naming/component_groups.h"

#include <algorithm>
#include <set>

#include "checkpoint/naming/ranks.h"

namespace samestep {
namespace {

using Kind = ComponentKind;
using Paths = std::set<std::vector<std::string>>;

void gather_paths(const KeyNode& root, const KeyNode& node, Paths& paths) {
  if (node.leaf) paths.insert(keys_below(root, node));
  for (const auto& child : node.children) gather_paths(root, *child, paths);
}

bool disjoint(const KeyNode& a, const KeyNode& b) {
  Paths in_a, in_b;
  gather_paths(a, a, in_a);
  gather_paths(b, b, in_b);
  return std::none_of(in_a.begin(), in_a.end(),
                      [&](const auto& path) { return in_b.contains(path); });
}

bool one_of_a_kind(Kind kind) {
  return kind == Kind::rng || kind == Kind::loop || kind == Kind::extra || kind == Kind::gradients;
}

// Another rank's, or another file's, part of what was found at `roots`.
bool belongs_to(const KeyNode& root, const std::vector<const KeyNode*>& roots) {
  const auto rank = rank_of(root), first = rank_of(*roots.front());
  if (rank && first && *rank != *first) return true;
  return std::all_of(roots.begin(), roots.end(), [&](const KeyNode* other) {
    return &file_of(*other) != &file_of(root) && disjoint(*other, root);
  });
}

}  // namespace

ComponentGroup& ComponentGroups::find_or_make(Kind kind, const std::string& name,
                                              const KeyNode& root) {
  if (kind == Kind::config) kind = Kind::extra;
  int number = 0;
  for (const auto& group : groups_) {
    if (group->component.kind != kind) continue;
    if (one_of_a_kind(kind)) return *group;
    ++number;
    if (group->name != name || !belongs_to(root, group->roots)) continue;
    group->roots.push_back(&root);
    return *group;
  }
  auto group = std::make_unique<ComponentGroup>();
  group->component.kind = kind;
  group->component.number = number;
  group->name = name;
  group->roots.push_back(&root);
  groups_.push_back(std::move(group));
  return *groups_.back();
}

std::vector<ClaimedComponent> ComponentGroups::take() {
  std::vector<ClaimedComponent> components;
  for (auto& group : groups_) components.push_back(std::move(group->component));
  groups_.clear();
  return components;
}

const KeyNode& file_of(const KeyNode& node) {
  const KeyNode* at = &node;
  while (at->parent != nullptr) at = at->parent;
  return *at;
}

std::vector<std::string> keys_below(const KeyNode& root, const KeyNode& node) {
  std::vector<std::string> keys;
  for (const KeyNode* at = &node; at != &root; at = at->parent) keys.push_back(at->text());
  std::reverse(keys.begin(), keys.end());
  return keys;
}

std::string shared_name(const KeyNode& node) {
  if (node.parent != nullptr) return node.text();
  const std::string_view stem = stem_of(node.text());
  const bool numbered =
      stem.find("-of-") != std::string_view::npos || rank_in_name(stem).has_value();
  std::string family;
  for (const char c : stem) {
    if (!numbered || c < '0' || c > '9') family += c;
  }
  return family;
}

}  // namespace samestep
