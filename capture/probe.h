// Probe: reads one component's fields and can write them back.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checkpoint/state_tree.h"

namespace samestep {

/// What is to be done to one component in one go.
struct Change {
  std::vector<const StateEntry*> written;  ///< each with its bytes, or with its value
  std::vector<FieldPath> erased;           ///< live fields that are to be there no longer
};

/// Holds references to live objects of the trainer, which must outlive it. Not thread-safe: called
/// from the thread that trains. Draws no random number and changes nothing but in apply().
class Probe {
 public:
  virtual ~Probe() = default;

  /// Whether `path` would be a field of this component; it need not be there now.
  virtual bool owns(const FieldPath& path) const = 0;
  /// All fields as they are now, without digests. Bytes are views of live memory: valid until the
  /// state next changes. Throws Error{unsupported} for memory that cannot be read.
  virtual std::vector<StateEntry> read() const = 0;
  /// Why `entry`, one of this component's, cannot be written here (no such parameter, another
  /// shape); nothing when it can. A field that is not there now may be one that can be made. This
  /// and can_erase() go by the objects that the last read() saw.
  virtual std::optional<std::string> refusal(const StateEntry& entry) const = 0;
  /// Whether the live field `path` can be taken away (a moment, an element of a list).
  virtual bool can_erase(const FieldPath& path) const = 0;
  /// First erases, then writes. Every part of `change` has been asked for with refusal() or
  /// can_erase() (SAMESTEP_CHECK). Tensors that are there are written in place: what shares their
  /// memory still does.
  virtual void apply(const Change& change) = 0;
};

}  // namespace samestep
