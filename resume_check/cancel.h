// Cancel: one process-wide flag that a signal handler may set and long work looks at.
#pragma once

namespace samestep {

/// Async-signal-safe. Legs that run are ended as a group and run_audit throws Error{failed}.
void request_cancel() noexcept;
bool cancel_requested() noexcept;
/// For tests and for a process that goes on after a cancelled audit.
void reset_cancel() noexcept;
/// Throws Error{failed} naming `what` when cancelling was requested.
void throw_if_cancelled(const char* what);

}  // namespace samestep
