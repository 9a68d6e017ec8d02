// report_bus_errors: a mapped file that shrinks ends the program with a message, not with a core
// dump.
#pragma once

namespace samestep {

/// Installs a SIGBUS handler that writes one line to standard error and ends the process with
/// status 2. For programs of our own only: never called inside somebody else's process.
void report_bus_errors() noexcept;

}  // namespace samestep
