// Leg: one run of a command under a plan, in a folder of its own.
#pragma once

#include <string>
#include <vector>

#include "capture/run_reader.h"
#include "resume_check/progress.h"
#include "schemas/plan.h"
#include "schemas/report.h"

namespace samestep {

/// `folder` holds out/ ({out}), run/ (the records), plan.json and log.txt.
struct LegRequest {
  std::string name;               ///< "uninterrupted", "resumed", "control.1"
  std::string folder;             ///< absolute; exists, with out/ in it
  std::vector<std::string> argv;  ///< placeholders are filled in already
  Plan plan;                      ///< leg, run and out are set by run_leg
  double seconds_max = 3600;
};

struct LegOutcome {
  LegReport report;
  std::vector<RankRecord> ranks;  ///< sorted by rank
  int world_size = 1;
  std::vector<std::string>
      stepping;  ///< optimizers that stepped, as rank 0 told; empty: it did not
};

/// Runs the leg and reads what was recorded. Throws Error{failed} (with the log's path and its last
/// lines) when the command fails, is ended by a signal or the time limit, nothing trained, or a
/// rank left no record; and when cancelled. A failing exit after everything that the plan asks for
/// was recorded is no error.
LegOutcome run_leg(const LegRequest& request, const Progress& progress);

/// "<log>; its last lines: ..." on one line.
std::string log_hint(const std::string& log);

}  // namespace samestep
