// A twin's result as plain text: what a failing test prints.
#pragma once

#include <ostream>
#include <string>

#include "resume_check/torch/twin.h"

namespace samestep::libtorch {

/// Findings (the first twenty of each grade), the first divergence, what was put back, what was
/// compared and what was not, and the verdict, which is the last line.
std::string twin_text(const Twin& twin);

std::ostream& operator<<(std::ostream& stream, const Twin& twin);

}  // namespace samestep::libtorch
