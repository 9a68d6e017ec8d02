// verify_subject: are the bytes at a path what their digests and checksums say?
#pragma once

#include <string>

#include "schemas/report.h"
#include "tools/progress.h"

namespace samestep {

/// A report with the verb "verify": a confirmed finding for each damage, named after the field or
/// record, its kind as mark (damaged, incomplete, inconsistent, missing, unreadable); the verdict
/// diverged when there is any. A pack that is gone is one finding, whatever lay in it. Of a run the
/// latest capture and all step logs are read. `share` (0, 1] of the data is read; what was left out
/// is in coverage.not_compared. Throws Error when nothing can be read at all.
Report verify_subject(const std::string& path, double share, ProgressLine& progress);

}  // namespace samestep
