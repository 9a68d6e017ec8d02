// LibtorchOptimizer: optimizer archives of libtorch name their slots by addresses, which no two
// processes share.
#pragma once

#include "checkpoint/formats/document.h"

namespace samestep {

/// Joins `state/<address>` to the parameter that `param_groups/<g>/params/<i>` gives that address,
/// and sets Leaf::stable_keys of the leaves of each optimizer archive in `document`, wherever it
/// lies. Other leaves stay as they are.
void join_addresses(Document& document);

}  // namespace samestep
