// Findings in words: what the renderers of a report share.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schemas/report.h"
#include "tools/render/fold.h"

namespace samestep {

/// "optimizer/state/*/step  (4 fields, ranks 0-1)".
std::string group_title(const FindingGroup& group, bool with_ranks);
/// What stands above the findings of a grade: "Confirmed", "Warnings"; of a gate "Refused" and
/// "Tolerated"; of a diff "Not counted" where what it warns of is no damage.
std::string grade_title(const Report& report, Grade grade);
/// What happened to the field, in the words of the verb that asked: "overwritten: right in the
/// checkpoint ...", "only in the first", "damaged".
std::string what_happened(const Finding& finding, std::string_view verb);
/// "4.0  float32 []  in a.pt: state/0/step"; "absent" for a side that has none.
std::string side_text(const Side& side);
/// "bytes 2-3; 1 of 1 element, the first at [0, 1]: 4.0 against 0.0; at most 12 ULP apart".
std::string difference_text(const Difference& difference);
/// Label and text of everything known about a finding, in the order of a reader's questions. Sides
/// that the verb does not ask for are left out; those of a diff are "first" and "second".
std::vector<std::pair<std::string, std::string>> finding_rows(const Finding& finding,
                                                              std::string_view verb);

}  // namespace samestep
