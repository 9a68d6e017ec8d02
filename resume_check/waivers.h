// Waivers: differences that somebody has accepted, with a reason and an end.
#pragma once

#include <string>
#include <vector>

#include "schemas/report.h"
#include "schemas/waiver.h"

namespace samestep {

/// Reads waivers.v1. Throws Error{not_found, unreadable, corrupt} naming file and JSON pointer.
std::vector<Waiver> read_waivers(const std::string& path);

/// Turns confirmed findings that a waiver in force covers into warnings, with the waiver as
/// evidence and the mark "waived". Waivers past their day do not apply; each is listed in
/// `coverage.not_compared`, used or not. `today` is "YYYY-MM-DD".
void apply_waivers(const std::vector<Waiver>& waivers, const std::string& today,
                   std::vector<Finding>& findings, Coverage& coverage);

/// The day in UTC, "YYYY-MM-DD".
std::string day_of_today();

}  // namespace samestep
