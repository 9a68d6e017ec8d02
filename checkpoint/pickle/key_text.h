// KeyText: how Python's repr() writes a value; dictionary keys that are neither text nor integers
// are named so.
#pragma once

#include <string>

#include "checkpoint/pickle/graph.h"

namespace samestep::pickle {

/// repr() of None, booleans, numbers, text, bytes, tuples and globals as Python 3.11 writes it;
/// other values by kind and class ("<os.stat_result>"). Bounded: a long or deep one is cut with
/// "...".
std::string key_text(const Graph& graph, NodeId id);
/// repr() of a float: the shortest digits that read back as the same number.
std::string repr_of(double value);
/// "module.name" of a global, or of what an object was made by; a description for anything else.
std::string class_name_of(const Graph& graph, NodeId id);
/// Decimal text of an integer node; of one of more than 64 bytes only its length.
std::string decimal_of(const Graph& graph, NodeId id);

}  // namespace samestep::pickle
