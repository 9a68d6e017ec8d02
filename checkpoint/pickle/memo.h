// Memo: values that a pickle refers to again by number.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "checkpoint/pickle/graph.h"

namespace samestep::pickle {

/// Dense for the numbers that picklers write, one after the other; sparse for any other, so that a
/// huge number costs one entry.
class Memo {
 public:
  void put(std::uint64_t index, NodeId id) {
    ++puts_;
    if (index < dense_.size()) {
      dense_[index] = id;
    } else if (index == dense_.size()) {
      dense_.push_back(id);
    } else {
      sparse_[index] = id;
    }
  }
  /// kNoNode when `index` was never put.
  NodeId get(std::uint64_t index) const {
    const auto found = sparse_.find(index);
    if (found != sparse_.end()) return found->second;
    return index < dense_.size() ? dense_[index] : kNoNode;
  }
  /// MEMOIZE numbers its values by how many entries there are.
  std::uint64_t size() const { return dense_.size() + sparse_.size(); }
  std::uint64_t puts() const { return puts_; }

 private:
  std::vector<NodeId> dense_;
  std::unordered_map<std::uint64_t, NodeId> sparse_;
  std::uint64_t puts_ = 0;
};

}  // namespace samestep::pickle
