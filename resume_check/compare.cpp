#include "resume_check/compare.h"

#include <algorithm>

#include "resume_check/align.h"
#include "resume_check/cast.h"
#include "resume_check/coverage.h"
#include "resume_check/digests.h"
#include "resume_check/findings.h"
#include "resume_check/ignore_list.h"
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
  finding.evidence.push_back(in_source ? "only the first one holds it"
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
    finding.evidence.push_back("equal in value, in another representation");
    finding.marks.push_back("representation");
    return finding;
  }
  finding.difference = locate(source, target);
  if (const auto through = cast_between(source, target)) {
    finding.evidence.push_back("equal after a cast to " + std::string(to_string(*through)));
    finding.marks.push_back("cast");
  }
  return finding;
}

bool layout_differs(const Field& a, const Field& b) { return a.layout.strides != b.layout.strides; }

void compare_entry(const StateEntry& source, const StateEntry& target, Report& report) {
  auto& coverage = report.coverage;
  if (source.field.kind == FieldKind::opaque && target.field.kind == FieldKind::opaque) {
    coverage.not_compared.emplace_back(
        source.field.path.text(), "an object of class " + source.field.class_name + ", not opened");
    return;
  }
  ++coverage.fields_compared;
  ++coverage.by_component[source.field.path.component()];
  if (source.field.digest && source.field.digest == target.field.digest) {
    ++coverage.fields_equal;
    if (layout_differs(source.field, target.field)) ++coverage.ignored["layout in memory"];
    return;
  }
  report.findings.push_back(differing(source, target));
}

// `one` and `many` follow "1 field" and "2 fields".
void conclude(Report& report, const std::string& same, const std::string& one,
              const std::string& many) {
  sort_findings(report.findings);
  const auto wrong = std::count_if(report.findings.begin(), report.findings.end(),
                                   [](const Finding& f) { return f.grade == Grade::confirmed; });
  if (report.coverage.fields_compared == 0 && wrong == 0) {
    report.verdict = Verdict::undecided;
    report.reason = "there was nothing to compare";
    return;
  }
  report.verdict = wrong ? Verdict::diverged : Verdict::same;
  report.reason =
      wrong ? count_text(static_cast<std::uint64_t>(wrong), "field") + (wrong == 1 ? one : many)
            : same;
}

std::optional<Finding> gate_finding(const StateEntry& live, const std::optional<Match>& match,
                                    int rank, const Movement& movement, std::int64_t completed) {
  if (match && match->equal) return std::nullopt;
  FieldFate fate{live.field.path, rank, &live, match, nullptr, std::nullopt, Fate::missing, false};
  if (match) fate.fate = Fate::miswritten;
  auto finding = finding_about(live.field, FindingKind::gap, Grade::confirmed);
  finding.rank = rank;
  finding.fate = fate.fate;
  finding.captured = side_of(&live);
  finding.checkpointed = side_of(match ? match->entry : nullptr);
  if (match) {
    finding.difference = locate(live, *match->entry);
    const auto step =
        match->entry->field.digest
            ? movement.step_of(live.field.path.text(), *match->entry->field.digest, completed)
            : std::nullopt;
    if (step) {
      finding.evidence.push_back("the checkpoint holds the value of step " + std::to_string(*step));
      finding.marks.push_back("stale");
    }
  } else {
    finding.evidence.push_back("the checkpoint does not hold it");
  }
  const auto how = declared(live.field);
  const bool required = how != "attribute" && how != "frame" &&
                        live.field.path.component_kind() != "loop" &&
                        live.field.path.component_kind() != "gradients" && how != "loader" &&
                        !is_next_batch(live.field.path);
  const bool rng_unused =
      live.field.path.component_kind() == "rng" && !movement.moved(live.field.path.text());
  if (!required || (rng_unused && movement.first_step())) finding.grade = Grade::warning;
  return finding;
}

}  // namespace

Report diff_trees(const StateTree& source, const StateTree& target) {
  StateTree left = source, right = target;
  compute_digests(left);
  compute_digests(right);
  Report report;
  report.verb = "diff";
  for (const auto& entry : left.entries()) {
    const auto* other = right.find(entry.field.path);
    if (other) {
      compare_entry(entry, *other, report);
    } else {
      report.findings.push_back(one_sided(entry, true));
    }
  }
  for (const auto& entry : right.entries()) {
    if (!left.find(entry.field.path)) report.findings.push_back(one_sided(entry, false));
  }
  conclude(report, "all fields are equal, bit for bit", " differs", " differ");
  return report;
}

Report gate(const std::vector<RankRecord>& capture, const Checkpoint& checkpoint) {
  StateTree filed = checkpoint.tree;
  compute_digests(filed);
  Report report;
  report.verb = "gate";
  auto& coverage = report.coverage;
  coverage.ranks_expected = static_cast<int>(capture.size());
  std::vector<Alignment> alignments;
  for (const auto& rank : capture) {
    coverage.ranks_heard.push_back(rank.rank);
    if (rank.capture)
      coverage.ranks_expected = std::max(coverage.ranks_expected, rank.capture->world_size);
    alignments.push_back(align(rank.tree, filed));
    const Movement movement(rank.log);
    const auto completed = rank.capture ? rank.capture->completed : 0;
    const std::set<std::string> dead(rank.log.dead_gradients.begin(),
                                     rank.log.dead_gradients.end());
    const auto& entries = rank.tree.entries();
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const auto& live = entries[i];
      if (dead.count(live.field.path.text()) || live.field.kind == FieldKind::opaque) continue;
      ++coverage.fields_compared;
      ++coverage.by_component[live.field.path.component()];
      auto finding =
          gate_finding(live, alignments.back().matches[i], rank.rank, movement, completed);
      if (!finding) {
        ++coverage.fields_equal;
      } else if (const auto* rule = ignored_by(live.field)) {
        ++coverage.ignored[std::string(rule->name)];
      } else {
        report.findings.push_back(std::move(*finding));
      }
    }
  }
  coverage.unwatched = unwatched_by_all(alignments);
  conclude(report, "the checkpoint holds all durable state, bit for bit",
           " of the live state is not in the checkpoint as it was",
           " of the live state are not in the checkpoint as they were");
  return report;
}

}  // namespace samestep
