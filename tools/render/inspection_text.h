// An inspection as text for a terminal.
#pragma once

#include <string>

#include "schemas/inspection.h"
#include "tools/screen.h"

namespace samestep {

/// Components with counts, the counters that a person looks for first, what is absent, warnings and
/// notes; each field on a line when `all_fields`.
std::string inspection_text(const Inspection& inspection, const Screen& screen, bool all_fields);

}  // namespace samestep
