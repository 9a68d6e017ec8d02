// A report as JUnit XML, which every CI system shows.
#pragma once

#include <string>

#include "schemas/report.h"

namespace samestep {

/// A test case for the verdict (error when undecided) and one for each component that was compared;
/// a component fails with its confirmed findings, warnings are its output.
std::string report_junit(const Report& report);

}  // namespace samestep
