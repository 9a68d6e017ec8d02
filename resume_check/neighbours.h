// Neighbours: a small field is where its large siblings were found ("step" beside "exp_avg").
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/state_tree.h"

namespace samestep {

/// Learns from pairs of fields that are surely the same which groups (all of a path but its tail)
/// correspond, and tells where in the checkpoint a live field should be. Trees must outlive it.
class Neighbours {
 public:
  explicit Neighbours(const StateTree& checkpoint);
  /// These two are the same field: their groups correspond.
  void learn(const FieldPath& live, const FieldPath& filed);
  /// The entry of the group that corresponds best to a group of `live` and has the same tail; null
  /// when none does.
  const StateEntry* find(const FieldPath& live) const;

 private:
  std::map<std::vector<std::string>, const StateEntry*> by_words_;
  std::map<std::vector<std::string>, std::map<std::vector<std::string>, int>> votes_;
};

}  // namespace samestep
