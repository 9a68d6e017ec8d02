// Stack: the values that a pickle's opcodes push and pop, and the marks between them.
#pragma once

#include <vector>

#include "checkpoint/pickle/graph.h"

namespace samestep::pickle {

/// No operation reaches below the newest mark; each returns kNoNode or false instead where a value
/// or mark is missing.
class Stack {
 public:
  void push(NodeId id) { values_.push_back(id); }
  NodeId pop() {
    if (values_.size() == floor()) return kNoNode;
    const NodeId id = values_.back();
    values_.pop_back();
    return id;
  }
  NodeId top() const { return values_.size() == floor() ? kNoNode : values_.back(); }
  void mark() { marks_.push_back(values_.size()); }
  bool has_mark() const { return !marks_.empty(); }
  /// Removes the newest mark and moves what lies above it to `values`.
  bool pop_mark(std::vector<NodeId>& values) {
    if (marks_.empty()) return false;
    const auto begin = values_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    values.assign(begin, values_.end());
    values_.erase(begin, values_.end());
    marks_.pop_back();
    return true;
  }

 private:
  std::size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }

  std::vector<NodeId> values_;
  std::vector<std::size_t> marks_;
};

}  // namespace samestep::pickle
