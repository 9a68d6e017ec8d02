// Audit: runs the legs and judges them (DESIGN 8).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "resume_check/progress.h"
#include "schemas/report.h"
#include "schemas/store_policy.h"

namespace samestep {

struct AuditRequest {
  std::vector<std::string> fresh;  ///< argv of the uninterrupted leg; may hold {out}
  std::optional<std::vector<std::string>>
      resume;  ///< argv of the resumed leg; may hold {out}, {checkpoint}; absent: `fresh`
  std::string checkpoint_glob;  ///< relative to {out}; empty: whatever looks like a new checkpoint
  std::optional<std::int64_t> at;
  std::int64_t steps = 3;
  int controls = 1;
  /// Where the legs part, run both again and trace the operators of that step.
  bool operators = false;
  /// Folder for legs, logs and records; made when absent, refused when it holds an earlier audit.
  /// Empty: a fresh folder below the system's temporary folder. It is kept; Report::host["work"]
  /// names it.
  std::string work;
  double leg_seconds_max = 3600;
  std::string waivers;                      ///< file, or empty
  StorePolicy store = StorePolicy::planes;  ///< of the captures of all legs
};

/// Runs the audit. Throws Error for everything that keeps it from a verdict (exit 2).
Report run_audit(const AuditRequest& request, const Progress& progress);

}  // namespace samestep
