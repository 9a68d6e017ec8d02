#include "checkpoint/state_tree.h"

#include <utility>

namespace samestep {

StateEntry& StateTree::add(StateEntry entry) {
  const std::string wanted = entry.field.path.text();
  for (int number = 2; index_.contains(entry.field.path.text()); ++number) {
    entry.field.path = FieldPath(wanted + "#" + std::to_string(number));
  }
  index_.emplace(entry.field.path.text(), entries_.size());
  return entries_.emplace_back(std::move(entry));
}

const StateEntry* StateTree::find(const FieldPath& path) const {
  const auto found = index_.find(path.text());
  return found == index_.end() ? nullptr : &entries_[found->second];
}

}  // namespace samestep
