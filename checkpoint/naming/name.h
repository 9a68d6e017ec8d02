// Naming: what a reader found in a foreign checkpoint -> a StateTree with canonical paths and
// roles.
#pragma once

#include "checkpoint/formats/document.h"
#include "checkpoint/state_tree.h"

namespace samestep {

/// Every leaf of `document`, in its order, with canonical FieldPath, Role and Source. Components
/// are recognised by content and shape first, by the names of keys and files second; what is not
/// recognised is `extra/...`. Traits:
///   place     index form of an optimizer state's path ("optimizer/state/3/exp_avg")
///   by_index  why that state has no parameter's name
///   lists     of the lists of an optimizer that has fewer parameters than the model: "3 of 5"
///   named_by  how that state's parameter name is known (parameter_order.h, or "param_names",
///   "keys"); absent: it is not rank      the rank that the leaf belongs to, where file names or
///   keys tell declared  "order" for an optimizer's lists of its parameters: numbers and names, not
///   state
/// One-element tensors get their value decoded. Never throws for what a document holds.
StateTree name_document(Document&& document);

}  // namespace samestep
