// Reads a step log (capture/STEP_LOG.md), as far as it is whole.
#pragma once

#include <string>

#include "capture/run_reader.h"

namespace samestep {

/// Throws Error{not_found, unreadable}; Error{corrupt} with file and line for a line that is no
/// part of step_log.v1, Error{unsupported} for another version.
StepLog read_step_log(const std::string& path);

}  // namespace samestep
