// ExpandPython: what nodes of Python's own types are, in a tree of leaves.
#pragma once

#include "checkpoint/formats/pickle_view.h"

namespace samestep {

/// Scalars, text, bytes, containers; OrderedDict, defaultdict, Counter, deque, set and frozenset
/// made by a call; complex numbers, paths, torch.Size-like wrappers. False when `id` is something
/// else. Lists and tuples of more than 64 integers, or of more than 64 floats, are one Numbers
/// leaf.
bool expand_python(const PickleView& view, pickle::NodeId id, Expansion& out);

/// Whatever is left: an opaque leaf that names the class, and below it arguments (by index),
/// attributes, items.
void expand_opaque(const PickleView& view, pickle::NodeId id, Expansion& out);

/// Adds the entries of `flat` (key, value, key, value, ...) as children.
void add_pairs(const PickleView& view, std::span<const pickle::NodeId> flat, Expansion& out);

}  // namespace samestep
