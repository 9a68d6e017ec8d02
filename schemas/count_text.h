// A number of things in words, and the first few of many.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace samestep {

/// "1 field", "2 fields". `plural` where an s is not enough ("boundaries", "draws of an int64").
std::string count_text(std::uint64_t count, const std::string& noun,
                       const std::string& plural = {});

/// "a, b and 3 more": the first `shown_max` of `names`, and how many there are beside them.
std::string some_of(const std::vector<std::string>& names, std::size_t shown_max);

}  // namespace samestep
