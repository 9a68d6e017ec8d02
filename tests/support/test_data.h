#pragma once

#include <string>

namespace samestep {

/// Where a file or folder of the source tree's tests/ lies: test_data("samples/handed"). The tree's
/// own path is compiled into this one function, so that a compiler cache serves every other test in
/// each clone.
std::string test_data(const std::string& below);

}  // namespace samestep
