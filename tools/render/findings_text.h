// The findings of a report as paragraphs for a terminal.
#pragma once

#include <string>

#include "schemas/report.h"
#include "tools/render/fold.h"
#include "tools/screen.h"

namespace samestep {

/// The confirmed findings, in full, in the order of the report, which is causal. Unless `all` they
/// are folded, and after the first twenty groups counted. Empty when there are none.
std::string confirmed_text(const Report& report, const Screen& screen, bool all);
/// The warnings: the first ten in a few words, a command that serves several in a row said once; in
/// full when `all`.
std::string warnings_text(const Report& report, const Screen& screen, bool all);

}  // namespace samestep
