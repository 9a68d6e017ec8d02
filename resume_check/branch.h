// Branch: the output folder of the uninterrupted leg, copied as it stood when its checkpoint was
// whole.
#pragma once

#include <string>

namespace samestep {

/// The one checkpoint below `out`: what `glob` matches, or without a glob the one entry (at most
/// two folders deep) that looks like a checkpoint. Relative to `out`. Throws Error{not_found} when
/// there is none and Error{usage} when there are several, naming `glob` and what was found.
std::string find_checkpoint(const std::string& out, const std::string& glob);

/// `argument` with {out} and {checkpoint} replaced.
std::string filled_in(std::string argument, const std::string& out, const std::string& checkpoint);

}  // namespace samestep
