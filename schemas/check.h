// SAMESTEP_CHECK: an assertion about our own code that stays on in release builds.
#pragma once

#include <stdexcept>
#include <string>

namespace samestep {

/// We are wrong: a promise inside samestep did not hold. Never thrown for bad input.
class CheckFailure : public std::logic_error {
 public:
  CheckFailure(const char* condition, const char* file, int line)
      : std::logic_error(std::string(file) + ":" + std::to_string(line) +
                         ": check failed: " + condition) {}
};

}  // namespace samestep

#define SAMESTEP_CHECK(condition)                                                     \
  do {                                                                                \
    if (!(condition)) throw ::samestep::CheckFailure(#condition, __FILE__, __LINE__); \
  } while (false)
