// The command line as a whole: which verb, its help, its mistakes.
#pragma once

#include <string>
#include <vector>

#include "tools/verb.h"

namespace samestep {

/// Runs what `arguments` (without the program's name) ask for. Help and version are results like
/// any other. Throws Error{usage} for a wrong command line, and what the verb throws.
Result run_command_line(std::vector<std::string> arguments);

}  // namespace samestep
