// Findings in words: what the renderers of a report share, and their text for a terminal.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "schemas/report.h"
#include "tools/render/fold.h"
#include "tools/screen.h"

namespace samestep {

/// "optimizer/state/*/step  (4 fields, ranks 0-1)".
std::string group_title(const FindingGroup& group, bool with_ranks);
/// "overwritten: right in the checkpoint ..."; of a finding without a fate its kind.
std::string what_happened(const Finding& finding);
/// "4.0  float32 []  in a.pt: state/0/step"; "absent" for a side that has none.
std::string side_text(const Side& side);
/// "bytes 2-3 differ; 1 of 1 element, first [0, 1]: 4.0 against 0.0, 12 ULP apart at most".
std::string difference_text(const Difference& difference);
/// Label and text of everything known about a finding, in the order of a reader's questions.
std::vector<std::pair<std::string, std::string>> finding_rows(const Finding& finding);

/// A numbered paragraph.
std::string group_text(const FindingGroup& group, std::size_t number, bool with_ranks,
                       const Screen& screen);

}  // namespace samestep
