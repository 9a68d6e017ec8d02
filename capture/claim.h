// claim_rank: one process records a rank of a leg; the others stay silent.
#pragma once

#include <string>

namespace samestep {

/// Creates the file `path`, with the process id in it. False when it is there already. Throws
/// Error.
bool claim_rank(const std::string& path);

}  // namespace samestep
