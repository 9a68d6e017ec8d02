// Refusals: why a leg that ran gives nothing to judge, in one line each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "resume_check/audit.h"
#include "resume_check/leg.h"

namespace samestep {

/// What was asked of a leg.
struct LegAsked {
  std::string name, folder;
  std::optional<std::int64_t> at;  ///< absent: when the checkpoint appears
  bool resumed = false;
};

/// Throws Error{failed} when a rank has no capture: the disk is full, no optimizer stepped, or the
/// begin never came; with the log's path and last lines, and what to do.
void refuse_uncaptured(const LegOutcome& outcome, const LegAsked& asked);

/// Throws Error{failed}: the command ended and no process of it left a record.
[[noreturn]] void refuse_unrecorded(const LegRequest& request, const std::string& log);

/// Refuses an audit whose commands, steps or place nobody could follow. Throws Error{usage}.
void refuse_unclear(const AuditRequest& request);

}  // namespace samestep
