// Pairs: the entries of a dictionary as Python would keep them.
#pragma once

#include <span>
#include <vector>

#include "checkpoint/pickle/graph.h"

namespace samestep::pickle {

struct Pair {
  NodeId key = kNoNode, value = kNoNode;
};

/// From key, value, key, value, ...: equal keys (1, True and 1.0 are equal) keep the first key, its
/// place, and the last value. `duplicates` counts the values that were replaced.
std::vector<Pair> unique_pairs(const Graph& graph, std::span<const NodeId> flat,
                               std::size_t* duplicates = nullptr);

/// The value of text key `key`; kNoNode when there is none.
NodeId find_pair(const Graph& graph, std::span<const NodeId> flat, std::string_view key);

}  // namespace samestep::pickle
