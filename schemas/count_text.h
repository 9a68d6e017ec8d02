// count_text: a number of things in words.
#pragma once

#include <cstdint>
#include <string>

namespace samestep {

/// "1 field", "2 fields". `plural` where an s is not enough ("boundaries", "draws of an int64").
std::string count_text(std::uint64_t count, const std::string& noun,
                       const std::string& plural = {});

}  // namespace samestep
