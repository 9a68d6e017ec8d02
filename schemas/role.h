// Role: what a field of durable state is for.
#pragma once

#include <string_view>

namespace samestep {

/// Stored in captures and reports by name; values are pinned.
enum class Role : unsigned char {
  parameter = 0,
  buffer = 1,
  moment = 2,
  step_counter = 3,
  hyperparameter = 4,
  schedule = 5,
  rng = 6,
  cursor = 7,
  scaler = 8,
  average = 9,
  gradient = 10,
  other = 11,
};

std::string_view to_string(Role role) noexcept;
/// Throws Error{corrupt} for a name that is no role.
Role role_from(std::string_view name);

}  // namespace samestep
