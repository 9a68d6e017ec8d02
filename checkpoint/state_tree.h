// StateTree: the fields of one rank at one moment, from a live trainer, a capture or a checkpoint.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "checkpoint/field_bytes.h"
#include "schemas/field.h"

namespace samestep {

struct StateEntry {
  Field field;
  FieldBytesPtr bytes;  ///< null when the bytes were not kept (digest only)
};

/// Entries in the order in which they were added; lookup by path. Paths are unique.
class StateTree {
 public:
  /// Adds an entry. A path that is there already gets "#2", "#3", ... appended to its last part.
  StateEntry& add(StateEntry entry);
  const std::vector<StateEntry>& entries() const noexcept { return entries_; }
  std::vector<StateEntry>& entries() noexcept { return entries_; }
  const StateEntry* find(const FieldPath& path) const;

 private:
  std::vector<StateEntry> entries_;
  std::unordered_map<std::string, std::size_t> index_;
};

}  // namespace samestep
