#include "resume_check/aliases.h"

#include <map>
#include <tuple>

namespace samestep {
namespace {

using Place = std::tuple<std::int64_t, std::int64_t, std::vector<std::int64_t>>;

bool takes_part(const StateEntry& entry) {
  return entry.field.role == Role::parameter && entry.field.kind == FieldKind::tensor &&
         entry.field.layout.storage >= 0 && entry.field.bytes > 0;
}

Place place_of(const StateEntry& entry) {
  return {entry.field.layout.storage, entry.field.layout.storage_offset, entry.field.shape};
}

bool shares(const StateTree& tree, const FieldPath& a, const FieldPath& b) {
  const auto *first = tree.find(a), *second = tree.find(b);
  return first && second && takes_part(*first) && takes_part(*second) &&
         place_of(*first) == place_of(*second);
}

bool known(const StateTree& tree, const FieldPath& a, const FieldPath& b) {
  const auto *first = tree.find(a), *second = tree.find(b);
  return first && second && takes_part(*first) && takes_part(*second);
}

bool tied_in_file(const StateTree& tree, const FieldPath& a, const FieldPath& b) {
  const auto *first = tree.find(a), *second = tree.find(b);
  if (!first || !second) return (first != nullptr) != (second != nullptr);
  const auto &left = first->field.layout, &right = second->field.layout;
  return left.storage >= 0 && left.storage == right.storage &&
         left.storage_offset == right.storage_offset &&
         first->field.source.file == second->field.source.file;
}

/// Ties of `tree` that `other` has not.
void collect(const StateTree& tree, const StateTree& other, const StateTree& checkpoint,
             bool tied_before, std::vector<AliasChange>& changes) {
  std::map<Place, FieldPath> first_at;
  for (const auto& entry : tree.entries()) {
    if (!takes_part(entry)) continue;
    const auto [first, fresh] = first_at.emplace(place_of(entry), entry.field.path);
    if (fresh) continue;
    const auto &a = first->second, &b = entry.field.path;
    if (known(other, a, b) && !shares(other, a, b)) {
      changes.push_back({a, b, tied_before, tied_in_file(checkpoint, a, b)});
    }
  }
}

}  // namespace

std::vector<AliasChange> alias_changes(const StateTree& captured, const StateTree& restored,
                                       const StateTree& checkpoint) {
  std::vector<AliasChange> changes;
  collect(captured, restored, checkpoint, true, changes);
  collect(restored, captured, checkpoint, false, changes);
  return changes;
}

}  // namespace samestep
