// A report as text for a terminal.
#pragma once

#include <string>

#include "schemas/report.h"
#include "tools/screen.h"

namespace samestep {

/// Confirmed findings, warnings, divergence, cause, coverage, legs; the verdict is the last line.
/// Findings of many fields that say the same are folded unless `all`.
std::string report_text(const Report& report, const Screen& screen, bool all);

}  // namespace samestep
