#include "resume_check/quiet.h"

#include <algorithm>
#include <set>

#include "resume_check/grade.h"

namespace samestep {
namespace {

bool is_unused_stream(const Finding& finding) {
  if (finding.grade != Grade::warning || !is_marked(finding, "unused")) return false;
  const auto stream = stream_of(FieldPath(finding.field));
  return stream == "rng/python" || stream == "rng/numpy";
}

constexpr const char* kLoopNumbers = "local variables of the training loop";

bool is_loop_number(const Finding& finding) {
  return finding.grade == Grade::warning && is_marked(finding, "frame");
}

bool is_number(const Side& side, std::int64_t number) {
  return side.value && *side.value == Value(number);
}

}  // namespace

bool is_marked(const Finding& finding, std::string_view mark) {
  return std::find(finding.marks.begin(), finding.marks.end(), mark) != finding.marks.end();
}

void quieten(std::vector<Finding>& findings, bool explained, Coverage& coverage) {
  std::set<std::string> unused;
  for (const auto& finding : findings) {
    if (is_unused_stream(finding)) unused.insert(stream_of(FieldPath(finding.field)));
  }
  std::erase_if(findings, is_unused_stream);
  if (!unused.empty()) {
    std::string names;
    for (const auto& name : unused) names += (names.empty() ? "" : ", ") + name;
    coverage.not_compared.emplace_back(
        names, "nobody drew from " + std::string(unused.size() == 1 ? "it" : "them") +
                   " in the recorded steps; unseeded streams differ between any two processes");
  }
  if (!explained) return;
  const auto hidden = std::erase_if(findings, is_loop_number);
  if (hidden > 0) coverage.ignored[kLoopNumbers] += hidden;
  const auto anew = std::erase_if(findings, [](const Finding& finding) {
    return finding.grade == Grade::warning && is_marked(finding, "anew");
  });
  if (anew > 0) coverage.ignored["values that each step sets anew"] += anew;
}

void drop_loop_variables(std::vector<Finding>& findings, std::int64_t completed,
                         Coverage& coverage) {
  const auto hidden = std::erase_if(findings, [&](const Finding& finding) {
    if (!is_loop_number(finding)) return false;
    return finding.captured.present != finding.restored.present ||
           (is_number(finding.captured, 0) && is_number(finding.restored, completed));
  });
  if (hidden > 0) coverage.ignored[kLoopNumbers] += hidden;
}

}  // namespace samestep
