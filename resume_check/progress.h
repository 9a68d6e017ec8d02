// Progress: short lines while long work runs.
#pragma once

#include <functional>
#include <string>

namespace samestep {

/// Called with a short line ("uninterrupted leg: 12 s") while legs run; may be empty.
using Progress = std::function<void(const std::string&)>;

}  // namespace samestep
