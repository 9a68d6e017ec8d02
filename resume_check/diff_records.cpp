#include "resume_check/diff_records.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "resume_check/examine.h"
#include "resume_check/ignore_list.h"
#include "resume_check/quiet.h"
#include "schemas/check.h"

namespace samestep {
namespace {

constexpr const char* kDeadGradients = "gradients that are cleared before they are used";

bool is_logged(const RankRecord& record) { return record.log.begins.size() > 1; }

/// The findings of an audit of these two legs, by path, before what makes reports short.
std::map<std::string, Finding> audited(const RankRecord& source, const RankRecord& target) {
  const std::vector<RankRecord> before{source}, after{target};
  const StateTree no_checkpoint;
  const std::int64_t at = source.capture->completed;
  const auto steps_max = static_cast<std::int64_t>(source.log.begins.size());
  const auto examined = examine({before, no_checkpoint, after, at, steps_max}, {});
  const bool aligned = at == target.capture->completed;
  std::map<std::string, Finding> findings;
  for (Finding& finding :
       graded(examined.gaps, aligned ? examined.steps : StepsComparison{}, false))
    findings.emplace(finding.field, std::move(finding));
  return findings;
}

/// Declared state that is there in one of two runs.
bool is_declared_state(const Field& field) {
  const std::string how = declared(field);
  return how == "parameter" || how == "buffer" || how == "state_dict";
}

class RecordsComparison {
 public:
  RecordsComparison(const RankRecord& source, const RankRecord& target, EqualBy by)
      : source_(source), target_(target), is_logged_(is_logged(source) && is_logged(target)) {
    report_ = diff_trees(source.tree, target.tree, by);
    dead_.insert(source.log.dead_gradients.begin(), source.log.dead_gradients.end());
    dead_.insert(target.log.dead_gradients.begin(), target.log.dead_gradients.end());
  }

  RecordsDiff run() {
    const std::size_t differing = report_.findings.size();
    if (is_logged_ && differing > 0) audited_ = audited(source_, target_);
    std::erase_if(report_.findings, [this](const Finding& finding) { return ignore(finding); });
    for (Finding& finding : report_.findings) grade(finding);
    auto& findings = report_.findings;
    const bool is_clean = count_confirmed() == 0;
    quieten(findings, is_clean, report_.coverage);
    drop_loop_variables(findings, source_.capture->completed, report_.coverage);
    note_lost_logs();
    RecordsDiff diff{std::move(report_), differing - count_confirmed()};
    conclude(diff.report, diff_conclusions(diff.uncounted));
    return diff;
  }

 private:
  const Field& field_of(const Finding& finding) const {
    const FieldPath path(finding.field);
    const StateEntry* entry = source_.tree.find(path);
    return (entry ? entry : target_.tree.find(path))->field;
  }

  bool ignore(const Finding& finding) {
    const FieldPath path(finding.field);
    std::string why = dead_.contains(finding.field) ? kDeadGradients : "";
    for (const StateTree* tree : {&source_.tree, &target_.tree}) {
      const StateEntry* entry = tree->find(path);
      const IgnoreRule* rule = entry ? ignored_by(entry->field) : nullptr;
      if (rule && why.empty()) why = rule->name;
    }
    if (!why.empty()) ++report_.coverage.ignored[why];
    return !why.empty();
  }

  void grade(Finding& finding) const {
    if (finding.grade != Grade::confirmed) return;
    const Field& field = field_of(finding);
    const bool is_variable = declared(field) == "frame";
    const auto known = audited_.find(finding.field);
    const bool is_warning = known != audited_.end() && known->second.grade == Grade::warning;
    const bool is_gained = finding.fate == Fate::extra && is_declared_state(field);
    if (!is_variable && (!is_warning || is_gained)) return;
    if (is_variable && is_logged_ && !is_warning) return;
    finding.grade = Grade::warning;
    if (is_variable) finding.marks.emplace_back("frame");
    for (const char* mark : {"unused", "anew"}) {
      if (is_warning && is_marked(known->second, mark)) finding.marks.emplace_back(mark);
    }
    finding.evidence.insert(
        finding.evidence.begin(),
        is_marked(finding, "unused")
            ? "nobody drew from this stream in the recorded steps"
            : "an audit counts it only where the steps that follow differ, and do so unexplained");
  }

  void note_lost_logs() {
    for (const RankRecord* record : {&source_, &target_}) {
      if (!record->log_trouble.empty())
        report_.coverage.not_compared.emplace_back("the step log", record->log_trouble);
    }
  }

  std::size_t count_confirmed() const {
    return static_cast<std::size_t>(
        std::ranges::count(report_.findings, Grade::confirmed, &Finding::grade));
  }

  const RankRecord& source_;
  const RankRecord& target_;
  bool is_logged_;
  Report report_;
  std::set<std::string> dead_;
  std::map<std::string, Finding> audited_;
};

}  // namespace

RecordsDiff diff_records(const RankRecord& source, const RankRecord& target, EqualBy by) {
  SAMESTEP_CHECK(source.rank == target.rank && source.capture && target.capture);
  return RecordsComparison(source, target, by).run();
}

}  // namespace samestep
