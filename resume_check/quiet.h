// Quieten: what a report says in one line instead of many, so that a sound run's report is short.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "schemas/report.h"

namespace samestep {

/// True when `mark` is one of the finding's.
bool is_marked(const Finding& finding, std::string_view mark);

/// - Process-wide streams of Python and NumPy that nobody drew from (mark "unused") become one line
/// of
///   coverage.not_compared.
/// - Where `explained` (the steps do not part, nothing is confirmed), warnings about numbers of the
///   training loop's frames (mark "frame") and about what is set anew in each step (mark "anew")
///   are dropped and counted in coverage.ignored: they are evidence for an explanation, and there
///   is nothing to explain.
/// Confirmed findings stay.
void quieten(std::vector<Finding>& findings, bool explained, Coverage& coverage);

/// Warnings about numbers of frames that any resume brings with it, dropped and counted in
/// coverage.ignored: a variable that only one of the legs has (what is built for a save, or taken
/// out of the file), and one that was 0 and is `completed` (where the loop begins).
void drop_loop_variables(std::vector<Finding>& findings, std::int64_t completed,
                         Coverage& coverage);

}  // namespace samestep
