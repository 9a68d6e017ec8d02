#include "resume_check/compare.h"

#include <algorithm>

#include "checkpoint/hasher.h"
#include "resume_check/cancel.h"
#include "resume_check/cast.h"
#include "resume_check/digests.h"
#include "resume_check/findings.h"
#include "resume_check/locate.h"
#include "resume_check/numbers.h"
#include "schemas/count_text.h"

namespace samestep {
namespace {

Finding finding_about(const Field& field, FindingKind kind, Grade grade) {
  Finding finding;
  finding.kind = kind;
  finding.grade = grade;
  finding.field = field.path.text();
  finding.component = field.path.component();
  finding.role = field.role;
  return finding;
}

Finding one_sided(const StateEntry& entry, bool in_source) {
  auto finding = finding_about(entry.field, FindingKind::gap, Grade::confirmed);
  finding.fate = in_source ? Fate::missing : Fate::extra;
  (in_source ? finding.captured : finding.restored) = side_of(&entry);
  finding.evidence.emplace_back(in_source ? "only the first one holds it"
                                          : "only the second one holds it");
  return finding;
}

Finding differing(const StateEntry& source, const StateEntry& target) {
  const bool drift = equal_in_value(source, target);
  auto finding = finding_about(source.field, FindingKind::divergence,
                               drift ? Grade::warning : Grade::confirmed);
  finding.captured = side_of(&source);
  finding.restored = side_of(&target);
  if (drift) {
    finding.evidence.emplace_back("equal in value, in another representation");
    finding.marks.emplace_back("representation");
    return finding;
  }
  finding.difference = locate(source, target);
  if (const auto through = cast_between(source, target)) {
    finding.evidence.emplace_back("equal after a cast to " + std::string(to_string(*through)));
    finding.marks.emplace_back("cast");
  }
  return finding;
}

bool layout_differs(const Field& a, const Field& b) { return a.layout.strides != b.layout.strides; }

bool are_equal(const StateEntry& source, const StateEntry& target, EqualBy by) {
  if (!source.field.digest || source.field.digest != target.field.digest) return false;
  if (by == EqualBy::xxh3) return true;
  return source.field.dtype == target.field.dtype && source.field.shape == target.field.shape &&
         sha256_of(*source.bytes) == sha256_of(*target.bytes);
}

void compare_entry(const StateEntry& source, const StateEntry& target, EqualBy by, Report& report) {
  auto& coverage = report.coverage;
  throw_if_cancelled("comparing");
  if (source.field.kind == FieldKind::opaque && target.field.kind == FieldKind::opaque) {
    coverage.not_compared.emplace_back(
        source.field.path.text(), "an object of class " + source.field.class_name + ", not opened");
    return;
  }
  if (by == EqualBy::sha256 && (!source.bytes || !target.bytes)) {
    coverage.not_compared.emplace_back(source.field.path.text(), "only the digest was kept");
    return;
  }
  ++coverage.fields_compared;
  ++coverage.by_component[source.field.path.component()];
  if (are_equal(source, target, by)) {
    ++coverage.fields_equal;
    if (layout_differs(source.field, target.field))
      ++coverage.ignored["the same values, laid out otherwise in memory"];
    return;
  }
  report.findings.push_back(differing(source, target));
}

}  // namespace

Conclusions diff_conclusions(std::uint64_t uncounted) {
  if (uncounted == 0) return {"all fields are equal, bit for bit", "differs", "differ"};
  const std::string more = count_text(uncounted, "field") +
                           (uncounted == 1 ? " differs" : " differ") +
                           " that an audit does not count (--exact counts all)";
  const std::string beside = "; beside that, " + more;
  return {"all state is equal, bit for bit; " + more, "differs" + beside, "differ" + beside};
}

void conclude(Report& report, const Conclusions& texts) {
  sort_findings(report.findings);
  const auto wrong = std::count_if(report.findings.begin(), report.findings.end(),
                                   [](const Finding& f) { return f.grade == Grade::confirmed; });
  if (report.coverage.fields_compared == 0 && wrong == 0) {
    report.verdict = Verdict::undecided;
    report.reason = "there was nothing to compare";
    return;
  }
  report.verdict = wrong ? Verdict::diverged : Verdict::same;
  report.reason = wrong == 0 ? texts.same
                             : count_text(static_cast<std::uint64_t>(wrong), "field") + " " +
                                   (wrong == 1 ? texts.one : texts.many);
}

Report diff_trees(const StateTree& source, const StateTree& target, EqualBy by) {
  StateTree left = source, right = target;
  compute_digests(left);
  compute_digests(right);
  Report report;
  report.verb = "diff";
  for (const auto& entry : left.entries()) {
    const auto* other = right.find(entry.field.path);
    if (other) {
      compare_entry(entry, *other, by, report);
    } else {
      report.findings.push_back(one_sided(entry, true));
    }
  }
  for (const auto& entry : right.entries()) {
    if (!left.find(entry.field.path)) report.findings.push_back(one_sided(entry, false));
  }
  conclude(report, diff_conclusions());
  return report;
}

std::optional<Report> diff_summaries(const CaptureSummary& source, const CaptureSummary& target) {
  if (source != target || source.opaque > 0) return std::nullopt;
  Report report;
  report.verb = "diff";
  report.coverage.by_component = source.components;
  for (const auto& [component, count] : source.components) report.coverage.fields_compared += count;
  report.coverage.fields_equal = report.coverage.fields_compared;
  conclude(report, diff_conclusions());
  return report;
}

}  // namespace samestep
