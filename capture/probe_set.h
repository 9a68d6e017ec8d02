// ProbeSet: all probes of one trainer, read as one StateTree, and restored all or nothing.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "capture/probe.h"

namespace samestep {

/// Not thread-safe.
class ProbeSet {
 public:
  /// Which fields a call is about; by default all.
  using Scope = std::function<bool(const FieldPath&)>;

  ProbeSet() = default;
  ProbeSet(const ProbeSet&) = delete;
  ProbeSet& operator=(const ProbeSet&) = delete;

  void add(std::unique_ptr<Probe> probe);
  /// The fields of all probes, in the order in which these were added. Views of live memory. What
  /// cannot be read is thrown, or, with `unread`, told there and left out with its component.
  StateTree read(const Scope& scope = {}, std::vector<std::string>* unread = nullptr) const;

  /// Why `state` cannot become the live state: one line a field, naming it, in order of path.
  /// Missing in `state`, without an owner here, of another shape or dtype, sharing memory there and
  /// not here. Empty when restore() would succeed. Changes nothing.
  std::vector<std::string> refusals(const StateTree& state, const Scope& scope = {}) const;
  /// Makes the live state within `scope` that of `state`, bit for bit: every field is judged before
  /// the first is written, and read again afterwards. `where` names the source in messages. Throws
  /// Error{corrupt} with all refusals; nothing has been changed then. Throws Error{failed} when
  /// what was read again differs (a component that does not take what it is given).
  void restore(const StateTree& state, const std::string& where, const Scope& scope = {});
  /// Writes this field alone. Throws as restore().
  void write(const StateEntry& entry);

 private:
  Probe* owner_of(const FieldPath& path) const;

  std::vector<std::unique_ptr<Probe>> probes_;
};

/// The same fields with bytes of their own, with digests: what was, whatever becomes of the live
/// state.
StateTree snapshot_of(const StateTree& tree);

}  // namespace samestep
