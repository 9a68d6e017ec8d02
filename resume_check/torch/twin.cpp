#include "resume_check/torch/twin.h"

#include <algorithm>

#include "resume_check/examine.h"
#include "resume_check/grade.h"
#include "resume_check/locate.h"
#include "resume_check/quiet.h"
#include "resume_check/torch/partings.h"
#include "resume_check/torch/twin_legs.h"
#include "resume_check/verdict.h"
#include "resume_check/waivers.h"
#include "schemas/error.h"

namespace samestep::libtorch {
namespace {

/// The legs of one twin, judged as an audit judges its own.
class Judge {
 public:
  Judge(const TwinFactory& factory, const TwinOptions& options)
      : options_(options), legs_(factory, options) {}

  Twin run() {
    legs_.train();
    examine_legs({});
    control();
    Twin twin;
    twin.mode = options_.mode;
    twin.partings = partings();
    twin.report = report(twin.partings);
    return twin;
  }

 private:
  void examine_legs(const std::set<std::string>& unstable) {
    examined_ = examine(
        {legs_.uninterrupted(), legs_.saved().tree, legs_.resumed(), options_.at, options_.steps},
        unstable);
  }

  Repetition against(const std::vector<RankRecord>& leg, const std::vector<RankRecord>& again,
                     bool full) const {
    return repetition_of(leg, again, examined_.stable, options_.at, options_.steps, full);
  }

  void control() {
    for (int i = 1; i <= options_.controls && resumed_ != Repeat::unstable; ++i) {
      const auto again = legs_.resume_again("control." + std::to_string(i), true);
      const auto last = against(legs_.resumed(), again, false);
      resumed_ = last.repeat();
      if (resumed_ == Repeat::unstable) blame_the_run_or_the_recorder(last.differences.front());
    }
    findings_ = graded(examined_.gaps, steps_that_count(examined_.steps, resumed_), false);
    if (resumed_ == Repeat::equal && needs_fresh_control(findings_, examined_.steps)) explain();
  }

  void blame_the_run_or_the_recorder(const std::string& difference) {
    const auto full = against(legs_.resumed(), legs_.resume_again("control.full", false), true);
    const bool recorder = full.repeat() == Repeat::equal;
    first_unstable_ = full.differences.empty() ? difference : full.differences.front();
    resumed_ = recorder ? Repeat::recorder : Repeat::unstable;
    if (!recorder) examine_legs(full.at_begin);
  }

  /// Steps that part from equal state: is the uninterrupted run repeatable at all?
  void explain() {
    const auto again =
        against(legs_.uninterrupted(), legs_.train_again("control.uninterrupted"), true);
    uninterrupted_ = again.repeat();
    if (uninterrupted_ == Repeat::unstable) first_unstable_ = again.differences.front();
    if (uninterrupted_ != Repeat::equal) return;
    findings_ = graded(examined_.gaps, steps_that_count(examined_.steps, resumed_), true);
    if (needs_fresh_control(findings_, examined_.steps)) {
      findings_.push_back(unexplained(*examined_.steps.divergence,
                                      "all watched state is equal before it, and both runs repeat "
                                      "themselves: something that is "
                                      "not watched, or that both trainers share"));
    }
    sort_findings(findings_);
  }

  /// State that is compared again where it has been put right.
  std::vector<Parting> partings() const {
    std::set<std::string> fields = examined_.stable.front();
    for (const WeighedFinding& gap : examined_.gaps) fields.insert(gap.finding.field);
    return partings_of(legs_.reference_steps(), legs_.followed_steps(), fields, options_.at,
                       options_.mode);
  }

  void describe(Finding& finding) const {
    const StateTree &before = legs_.uninterrupted().front().tree,
                    &after = legs_.resumed().front().tree;
    const auto *live = before.find(FieldPath(finding.field)),
               *restored = after.find(FieldPath(finding.field));
    if (live && restored) finding.difference = locate(*live, *restored);
    if (!finding.where) finding.where = Boundary{0, options_.at + 1, "begin"};
    if (legs_.saved().is_assumed && finding.kind == FindingKind::gap)
      finding.evidence.push_back("the checkpoint cannot be read: it may lack this as well");
    if (!legs_.kept_checkpoint().empty())
      finding.next = "samestep inspect " + legs_.kept_checkpoint();
  }

  /// One gap, and nothing differs once it is put right: it is the cause.
  std::vector<CauseEntry> cause(const std::vector<Finding>& findings,
                                const std::vector<Parting>& partings) const {
    const auto is_gap = [](const Finding& finding) {
      return finding.kind == FindingKind::gap && finding.grade == Grade::confirmed;
    };
    const Boundary first{0, options_.at + 1, "begin"};
    const bool healed =
        std::ranges::all_of(partings, [&](const Parting& one) { return one.where == first; });
    if (options_.mode != TwinMode::lock_step || !healed || !examined_.steps.divergence ||
        std::ranges::count_if(findings, is_gap) != 1)
      return {};
    const Finding& gap = *std::ranges::find_if(findings, is_gap);
    return {{gap.field, gap.component,
             "put back before step " + std::to_string(first.step) +
                 ": every boundary after it is the same"}};
  }

  Report report(const std::vector<Parting>& partings) {
    Report report;
    report.verb = "audit";
    report.coverage = std::move(examined_.coverage);
    auto& not_compared = report.coverage.not_compared;
    not_compared.emplace_back("execution contract", "both legs run in this process");
    for (const auto& note : legs_.saved().notes) not_compared.push_back(note);
    for (const auto& trouble : legs_.troubles()) not_compared.push_back(trouble);
    if (options_.controls == 0)
      not_compared.emplace_back("control leg", "none was asked for: repeatability is not known");
    apply_waivers(options_.waivers, day_of_today(), findings_, report.coverage);
    sort_findings(findings_);
    const Decided decided =
        decide({findings_, examined_.steps, resumed_, uninterrupted_, first_unstable_});
    report.verdict = decided.verdict;
    report.reason = decided.reason;
    if (examined_.wrong_start && report.verdict == Verdict::diverged)
      report.reason += "; restore() did not bring step " + std::to_string(options_.at) +
                       " back: " + examined_.wrong_start->evidence;
    quieten(findings_, decided.verdict == Verdict::same, report.coverage);
    for (Finding& finding : findings_) describe(finding);
    report.cause = cause(findings_, partings);
    report.findings = std::move(findings_);
    report.divergence = examined_.steps.divergence;
    report.legs = legs_.reports();
    return report;
  }

  const TwinOptions& options_;
  TwinLegs legs_;
  Examination examined_;
  std::vector<Finding> findings_;
  Repeat resumed_ = Repeat::not_run, uninterrupted_ = Repeat::not_run;
  std::string first_unstable_;
};

void refuse_unclear(const TwinOptions& options) {
  const auto refuse = [](const char* what, const char* where) {
    throw Error(ErrorCode::usage, what, where, "give 1 or more");
  };
  if (options.at < 1) refuse("without a step before the checkpoint there is nothing to lose", "at");
  if (options.steps < 1) refuse("at least one step must be compared", "steps");
}

}  // namespace

Twin run_twin(const TwinFactory& factory, const TwinOptions& options) {
  refuse_unclear(options);
  return Judge(factory, options).run();
}

}  // namespace samestep::libtorch
