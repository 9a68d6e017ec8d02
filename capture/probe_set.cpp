#include "capture/probe_set.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "checkpoint/hasher.h"
#include "schemas/check.h"
#include "schemas/error.h"

namespace samestep {
namespace {

using Scope = ProbeSet::Scope;

bool is_within(const Scope& scope, const FieldPath& path) { return !scope || scope(path); }

/// Fields that share memory, by their storage: only what stays where it is (parameters, buffers).
std::map<std::int64_t, std::vector<std::string>> storages_of(const StateTree& tree,
                                                             const Scope& scope) {
  std::map<std::int64_t, std::vector<std::string>> storages;
  for (const auto& [field, bytes] : tree.entries()) {
    const bool stays = field.role == Role::parameter || field.role == Role::buffer;
    if (!stays || field.layout.storage < 0 || !bytes || bytes->size() == 0) continue;
    if (is_within(scope, field.path)) storages[field.layout.storage].push_back(field.path.text());
  }
  return storages;
}

/// Pairs (first of its storage, other one) of fields that share memory.
std::map<std::string, std::string> ties_of(const StateTree& tree, const Scope& scope) {
  std::map<std::string, std::string> ties;
  for (auto& [storage, paths] : storages_of(tree, scope)) {
    std::ranges::sort(paths);
    for (std::size_t i = 1; i < paths.size(); ++i) ties.emplace(paths[i], paths.front());
  }
  return ties;
}

void add_tie_refusals(const StateTree& saved, const StateTree& live, const Scope& scope,
                      std::vector<std::string>& lines) {
  const auto there = ties_of(saved, scope), here = ties_of(live, scope);
  const auto refuse = [&](const auto& tie, const char* where) {
    lines.push_back(tie.first + ": shares memory with " + tie.second + where);
  };
  const auto has_both = [](const StateTree& tree, const auto& tie) {
    return tree.find(FieldPath(tie.first)) && tree.find(FieldPath(tie.second));
  };
  for (const auto& tie : there)
    if (has_both(live, tie) && !here.contains(tie.first)) refuse(tie, " there, and not here");
  for (const auto& tie : here)
    if (has_both(saved, tie) && !there.contains(tie.first)) refuse(tie, " here, and not there");
}

/// Throws Error{corrupt} when the bytes are not what was recorded of them.
Digest checked_digest(const StateEntry& entry, const std::string& where) {
  const Digest digest = digest_of(*entry.bytes, entry.field.dtype, entry.field.shape).root;
  if (entry.field.digest && *entry.field.digest != digest)
    throw Error(ErrorCode::corrupt,
                entry.field.path.text() + ": its bytes are not those of the recorded digest", where,
                "nothing was changed; restore from an earlier one");
  return digest;
}

Digest digest_of_entry(const StateEntry& entry) {
  SAMESTEP_CHECK(entry.bytes);
  return digest_of(*entry.bytes, entry.field.dtype, entry.field.shape).root;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? "" : "; ") + line;
  return text;
}

}  // namespace

void ProbeSet::add(std::unique_ptr<Probe> probe) { probes_.push_back(std::move(probe)); }

Probe* ProbeSet::owner_of(const FieldPath& path) const {
  for (const auto& probe : probes_)
    if (probe->owns(path)) return probe.get();
  return nullptr;
}

StateTree ProbeSet::read(const Scope& scope, std::vector<std::string>* unread) const {
  StateTree tree;
  for (const auto& probe : probes_) {
    try {
      for (StateEntry& entry : probe->read())
        if (is_within(scope, entry.field.path)) tree.add(std::move(entry));
    } catch (const std::exception& error) {
      if (!unread) throw;
      unread->push_back(error.what());
    }
  }
  return tree;
}

std::vector<std::string> ProbeSet::refusals(const StateTree& state, const Scope& scope) const {
  std::vector<std::string> lines;
  const StateTree live = read(scope);
  for (const StateEntry& entry : state.entries()) {
    const FieldPath& path = entry.field.path;
    if (!is_within(scope, path)) continue;
    const Probe* owner = owner_of(path);
    const auto why = owner ? owner->refusal(entry) : std::optional("nothing here has this field");
    if (why) lines.push_back(path.text() + ": " + *why);
  }
  for (const StateEntry& entry : live.entries()) {
    const FieldPath& path = entry.field.path;
    if (state.find(path)) continue;
    const Probe* owner = owner_of(path);
    if (!owner || !owner->can_erase(path))
      lines.push_back(path.text() + ": is not in the saved state");
  }
  add_tie_refusals(state, live, scope, lines);
  std::ranges::sort(lines);
  return lines;
}

void ProbeSet::restore(const StateTree& state, const std::string& where, const Scope& scope) {
  const auto refused = refusals(state, scope);
  if (!refused.empty()) {
    throw Error(ErrorCode::corrupt,
                "does not fit this trainer in " + std::to_string(refused.size()) +
                    (refused.size() == 1 ? " field: " : " fields: ") + joined(refused),
                where, "nothing was changed; build the trainer as it was when this was saved");
  }
  // Reading every digest first finds damaged bytes while nothing has been written.
  std::map<std::string, Digest> wanted;
  std::map<Probe*, Change> changes;
  for (const StateEntry& entry : state.entries()) {
    if (!is_within(scope, entry.field.path)) continue;
    wanted.emplace(entry.field.path.text(), checked_digest(entry, where));
    changes[owner_of(entry.field.path)].written.push_back(&entry);
  }
  const StateTree before = read(scope);
  for (const StateEntry& entry : before.entries())
    if (!state.find(entry.field.path))
      changes[owner_of(entry.field.path)].erased.push_back(entry.field.path);
  for (const auto& probe : probes_)
    if (changes.contains(probe.get())) probe->apply(changes[probe.get()]);

  std::vector<std::string> wrong;
  const StateTree after = read(scope);
  for (const StateEntry& entry : after.entries()) {
    const auto found = wanted.find(entry.field.path.text());
    if (found == wanted.end() || found->second != digest_of_entry(entry))
      wrong.push_back(entry.field.path.text());
    if (found != wanted.end()) wanted.erase(found);
  }
  for (const auto& [path, digest] : wanted) wrong.push_back(path);
  if (wrong.empty()) return;
  throw Error(ErrorCode::failed,
              "read again after they were restored, these differ: " + joined(wrong), where,
              "do not train on; something writes to them, or does not take what it is given");
}

void ProbeSet::write(const StateEntry& entry) {
  const FieldPath path = entry.field.path;
  StateTree one;
  one.add(entry);
  // In its own scope the field is all there is: nothing else is erased or compared.
  restore(one, path.text(), [&path](const FieldPath& other) { return other == path; });
}

namespace {

StateEntry owned(const StateEntry& live) {
  StateEntry entry{live.field, live.bytes};
  if (live.field.kind == FieldKind::tensor && live.bytes) {
    auto memory = std::make_shared<std::vector<std::byte>>();
    memory->reserve(live.bytes->size());
    live.bytes->stream([&](std::span<const std::byte> piece) {
      memory->insert(memory->end(), piece.begin(), piece.end());
    });
    TensorView view{memory->data(), live.field.dtype, live.field.shape, {}};
    view.strides.resize(view.shape.size());
    std::int64_t stride = 1;
    for (std::size_t i = view.shape.size(); i-- > 0; stride *= view.shape[i])
      view.strides[i] = stride;
    entry.bytes = tensor_bytes(std::move(view), memory);
  }
  entry.field.digest = digest_of_entry(entry);
  entry.field.bytes = entry.bytes->size();
  return entry;
}

}  // namespace

StateTree snapshot_of(const StateTree& tree) {
  StateTree copy;
  for (const StateEntry& entry : tree.entries()) copy.add(owned(entry));
  return copy;
}

}  // namespace samestep
