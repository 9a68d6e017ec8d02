// The environment variables that can decide bits. Data: one a line, with the reason.
#pragma once

#include <span>

namespace samestep {

struct EnvironmentName {
  const char* name;  ///< a trailing '*' stands for any ending
  const char* reason;
};

std::span<const EnvironmentName> environment_names() noexcept;

}  // namespace samestep
