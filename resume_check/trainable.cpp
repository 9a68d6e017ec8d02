#include "resume_check/trainable.h"

#include "checkpoint/hasher.h"

namespace samestep {
namespace {

constexpr std::string_view kFlag = ".requires_grad";

/// The entry with which `target` says what `flag`, which it lacks, would say; nothing where it has
/// the flag, or no such parameter.
std::optional<StateEntry> lacking(const StateEntry& flag, const StateTree& target) {
  const std::string& path = flag.field.path.text();
  if (!path.ends_with(kFlag) || target.find(flag.field.path)) return std::nullopt;
  const FieldPath parameter(path.substr(0, path.size() - kFlag.size()));
  const StateEntry* live = target.find(parameter);
  if (!live || live->field.role != Role::parameter) return std::nullopt;
  StateEntry entry = flag;
  entry.field.value = Value(true);
  entry.bytes = value_bytes(*entry.field.value);
  entry.field.digest = digest_of(*entry.field.value).root;
  entry.field.bytes = entry.bytes->size();
  return entry;
}

void complete(const StateTree& source, StateTree& target) {
  for (const StateEntry& entry : source.entries())
    if (auto added = lacking(entry, target)) target.add(std::move(*added));
}

}  // namespace

void complete_flags(RankRecord& uninterrupted, RankRecord& resumed) {
  complete(uninterrupted.tree, resumed.tree);
  complete(resumed.tree, uninterrupted.tree);
}

}  // namespace samestep
