// ranks: files of which there is one a rank (rng_state_3.pth).
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace samestep {

/// The number between `before` and `after` in `name` ("rng_state_", ".pth"); nothing when it is
/// named otherwise.
std::optional<int> number_in(std::string_view name, std::string_view before,
                             std::string_view after) noexcept;

/// Numbers that are missing from 0 .. the largest of `numbers`, or .. `expected` - 1 where that is
/// more.
std::vector<int> missing_numbers(const std::set<int>& numbers, int expected = 0);

}  // namespace samestep
