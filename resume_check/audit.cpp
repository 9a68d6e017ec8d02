#include "resume_check/audit.h"

#include <algorithm>
#include <filesystem>

#include "checkpoint/checkpoint.h"
#include "checkpoint/files/copy_tree.h"
#include "checkpoint/files/folder.h"
#include "resume_check/branch.h"
#include "resume_check/cancel.h"
#include "resume_check/digests.h"
#include "resume_check/examine.h"
#include "resume_check/late_writer.h"
#include "resume_check/leg.h"
#include "resume_check/locate.h"
#include "resume_check/op_search.h"
#include "resume_check/quiet.h"
#include "resume_check/refusals.h"
#include "resume_check/shell_words.h"
#include "resume_check/trainable.h"
#include "resume_check/verdict.h"
#include "resume_check/waivers.h"
#include "resume_check/workspace.h"
#include "schemas/error.h"

namespace samestep {
namespace {

constexpr const char* kUninterrupted = "uninterrupted";
constexpr const char* kUninterruptedAgain = "uninterrupted.again";
constexpr const char* kResumed = "resumed";

class Audit {
 public:
  Audit(const AuditRequest& request, const Progress& progress)
      : request_(request),
        progress_(progress),
        work_(Workspace::open(request.work)),
        asked_at_(request.at) {}

  Report run() {
    uninterrupted_ = first_leg(first_, true);
    if (const auto step = late_step()) {
      run_again_for(*step, "not given; the checkpoint is of step " + std::to_string(*step) +
                               " and appeared later");
    } else if (const auto counted = counted_step()) {
      run_again_for(*counted, "the checkpoint was saved after " + std::to_string(*counted) +
                                  " steps, " + std::to_string(*counted - *asked_at_) +
                                  " of which the loss scaler skipped");
    }
    refuse_uncaptured(uninterrupted_, {first_, work_.leg(first_), asked_at_, false});
    branch();
    checkpoint_ = open_checkpoint(work_.branch() + "/" + checkpoint_name_);
    compute_digests(checkpoint_.tree);
    refuse_other_step();
    resumed_ = resumed_leg(kResumed, false);
    refuse_unlike_legs();
    for (std::size_t i = 0; i < resumed_.ranks.size(); ++i)
      complete_flags(uninterrupted_.ranks[i], resumed_.ranks[i]);
    examine_legs({});
    control();
    if (request_.operators) trace_operators();
    return report();
  }

 private:
  void tell(const std::string& line) const {
    if (progress_) progress_(line);
  }

  Plan plan_of_first(bool copy) const {
    Plan plan;
    plan.at = asked_at_;
    plan.steps = request_.steps;
    plan.checkpoint = request_.checkpoint_glob;
    plan.store = request_.store;
    if (copy && !plan.checkpoint.empty()) plan.copy_to = work_.branch();
    return plan;
  }

  LegOutcome first_leg(const std::string& name, bool copy) {
    work_.make_leg(name, false);
    Plan plan = plan_of_first(copy);
    if (!copy) plan.at = at_;
    auto outcome = run_leg({name, work_.leg(name), argv(request_.fresh, work_.out(name), {}), plan,
                            request_.leg_seconds_max},
                           progress_);
    legs_.push_back(outcome.report);
    return outcome;
  }

  /// Where nobody said which step the checkpoint is of, and the one at which it appeared is not it.
  std::optional<std::int64_t> late_step() const {
    if (asked_at_) return std::nullopt;
    try {
      std::error_code error;
      const bool copied = std::filesystem::exists(work_.branch(), error);
      const std::string out = copied ? work_.branch() : work_.out(first_);
      auto checkpoint = open_checkpoint(out + "/" + find_checkpoint(out, request_.checkpoint_glob));
      compute_digests(checkpoint.tree);
      return step_of_late_writer(uninterrupted_.ranks.front(), checkpoint);
    } catch (const Error&) {  // said where the checkpoint is needed
      return std::nullopt;
    }
  }

  std::optional<std::int64_t> counted_step() const {
    if (!asked_at_ || uninterrupted_.ranks.empty()) return std::nullopt;
    return step_with_skipped(uninterrupted_.ranks.front().log, *asked_at_);
  }

  void run_again_for(std::int64_t step, const std::string& why) {
    tell("the checkpoint is of step " + std::to_string(step) + ": the first leg runs again");
    remove_tree(work_.branch());
    late_note_ = why + ": the uninterrupted leg was run again for that step";
    asked_at_ = step;
    first_ = kUninterruptedAgain;
    uninterrupted_ = first_leg(first_, true);
  }

  LegOutcome resumed_leg(const std::string& name, bool final_only) {
    work_.make_leg(name, true);
    Plan plan;
    plan.start = at_;
    plan.at = at_;
    plan.steps = request_.steps;
    plan.final_only = final_only;
    plan.stepping = uninterrupted_.stepping;
    plan.store = request_.store;
    const auto out = work_.out(name);
    auto outcome =
        run_leg({name, work_.leg(name),
                 argv(request_.resume.value_or(request_.fresh), out, out + "/" + checkpoint_name_),
                 plan, request_.leg_seconds_max},
                progress_);
    legs_.push_back(outcome.report);
    if (!final_only) refuse_uncaptured(outcome, {name, work_.leg(name), asked_at_, true});
    return outcome;
  }

  static std::vector<std::string> argv(const std::vector<std::string>& words,
                                       const std::string& out, const std::string& checkpoint) {
    std::vector<std::string> filled;
    for (const auto& word : words) filled.push_back(filled_in(word, out, checkpoint));
    return filled;
  }

  /// Its errors are told in the report: the verdict stands without it.
  void trace_operators() {
    tell("tracing operators");
    const auto leg = [&](const std::string& name, Plan plan, bool resumes) {
      work_.make_leg(name, resumes);
      const auto out = work_.out(name);
      const auto checkpoint = resumes ? out + "/" + checkpoint_name_ : std::string();
      plan.start = resumes ? at_ : 0;
      plan.stepping = uninterrupted_.stepping;
      const auto& words = resumes && request_.resume ? *request_.resume : request_.fresh;
      auto outcome = run_leg(
          {name, work_.leg(name), argv(words, out, checkpoint), plan, request_.leg_seconds_max},
          progress_);
      legs_.push_back(outcome.report);
      return outcome;
    };
    auto& divergence = examined_.steps.divergence;
    auto search = search_operators(
        {divergence, uninterrupted_.ranks, resumed_.ranks, examined_.stable, at_},
        [&](const std::string& name, const Plan& plan) { return leg(name, plan, true); },
        [&](const std::string& name, const Plan& plan) { return leg(name, plan, false); });
    if (divergence) divergence->op = std::move(search.found);
    auto& list = examined_.coverage.not_compared;
    list.insert(list.end(), search.not_compared.begin(), search.not_compared.end());
  }

  /// The leg copies its folder as soon as the checkpoint is whole; a writer that finishes at the
  /// end leaves that to us.
  void branch() {
    at_ = uninterrupted_.ranks.front().capture->completed;
    std::error_code error;
    if (!std::filesystem::exists(work_.branch(), error)) {
      find_checkpoint(work_.out(first_), request_.checkpoint_glob);
      copy_tree(work_.out(first_), work_.branch());
    }
    checkpoint_name_ = find_checkpoint(work_.branch(), request_.checkpoint_glob);
  }

  void refuse_other_step() const {
    if (!asked_at_) return;
    const auto step = step_beside_asked(uninterrupted_.ranks.front(), checkpoint_);
    if (!step) return;
    throw Error(ErrorCode::usage,
                "is of step " + std::to_string(*step) + ", as " + checkpoint_.step_source +
                    " and the rest of it say; --at says " + std::to_string(at_),
                checkpoint_name_,
                "give --at " + std::to_string(*step) + ", or the checkpoint of step " +
                    std::to_string(at_));
  }

  void refuse_unlike_legs() const {
    const auto before = uninterrupted_.ranks.size(), after = resumed_.ranks.size();
    if (before == after) return;
    throw Error(
        ErrorCode::failed,
        "has " + std::to_string(after) + " ranks, the uninterrupted leg " + std::to_string(before),
        "resumed leg", "resume with the same world size");
  }

  Trial trial() const {
    return {uninterrupted_.ranks, checkpoint_.tree, resumed_.ranks, at_, request_.steps};
  }

  void examine_legs(const std::set<std::string>& unstable) {
    tell("comparing");
    examined_ = examine(trial(), unstable);
    if (!examined_.wrong_start) return;
    const auto& start = *examined_.wrong_start;
    throw Error(ErrorCode::failed,
                "starts from step " + std::to_string(start.step.value_or(0)) +
                    ", the checkpoint is of step " + std::to_string(at_) + ": " + start.evidence +
                    " (log " + log_hint(resumed_.report.log) + ")",
                "resumed leg", "make the resumed command load {checkpoint}");
  }

  void control() {
    for (int i = 1; i <= request_.controls && resumed_repeat_ != Repeat::unstable; ++i) {
      const auto leg = resumed_leg("control." + std::to_string(i), true);
      const auto last =
          repetition_of(resumed_.ranks, leg.ranks, examined_.stable, at_, request_.steps, false);
      resumed_repeat_ = last.repeat();
      if (resumed_repeat_ == Repeat::unstable)
        blame_the_run_or_the_recorder(last.differences.front());
    }
    findings_ = graded(examined_.gaps, steps_that_count(examined_.steps, resumed_repeat_), false);
    if (resumed_repeat_ == Repeat::equal && needs_fresh_control(findings_, examined_.steps)) {
      repeat_uninterrupted();
    }
    explain_the_parting();
  }

  /// Two legs with the same recorder that agree leave the recorder as what differs from the lighter
  /// control.
  void blame_the_run_or_the_recorder(const std::string& difference) {
    const auto leg = resumed_leg("control.full", false);
    const auto full =
        repetition_of(resumed_.ranks, leg.ranks, examined_.stable, at_, request_.steps, true);
    if (full.repeat() == Repeat::equal) {
      resumed_repeat_ = Repeat::recorder;
      first_unstable_ = difference;
      return;
    }
    resumed_repeat_ = Repeat::unstable;
    first_unstable_ = full.differences.empty() ? difference : full.differences.front();
    examine_legs(full.at_begin);
  }

  void repeat_uninterrupted() {
    const std::string name = "control.uninterrupted";
    const auto leg = first_leg(name, false);
    refuse_uncaptured(leg, {name, work_.leg(name), at_, false});
    const auto again =
        repetition_of(uninterrupted_.ranks, leg.ranks, examined_.stable, at_, request_.steps, true);
    uninterrupted_repeat_ = again.repeat();
    if (uninterrupted_repeat_ == Repeat::unstable) first_unstable_ = again.differences.front();
  }

  /// Steps that part from equal state, in runs that repeat themselves: what differs in the plan is
  /// the candidate, then what is only evidence, then something that nobody watches.
  void explain_the_parting() {
    const bool asked = uninterrupted_repeat_ == Repeat::equal;
    if (asked && examined_.breaches.empty()) {
      findings_ = graded(examined_.gaps, steps_that_count(examined_.steps, resumed_repeat_), true);
      if (examined_.steps.divergence && !is_explained(findings_)) {
        findings_.push_back(
            unexplained(*examined_.steps.divergence,
                        "all watched state is equal before it; both legs repeat themselves"));
      }
    }
    for (auto& breach : examined_.breaches) {
      if (asked) {
        breach.grade = Grade::confirmed;
        breach.evidence.emplace_back(
            "all state is equal and the steps part; not yet proven to be the cause");
      }
      findings_.push_back(breach);
    }
    sort_findings(findings_);
  }

  void describe(Finding& finding) const {
    const auto same_rank = [&](const RankRecord& rank) { return rank.rank == finding.rank; };
    const auto &before = uninterrupted_.ranks, &after = resumed_.ranks;
    const auto source = std::find_if(before.begin(), before.end(), same_rank);
    const auto target = std::find_if(after.begin(), after.end(), same_rank);
    if (source == before.end() || target == after.end()) return;
    const auto *live = source->tree.find(FieldPath(finding.field)),
               *restored = target->tree.find(FieldPath(finding.field));
    if (live && restored) finding.difference = locate(*live, *restored);
    if (!finding.where) finding.where = Boundary{finding.rank, at_ + 1, "begin"};
    const bool file = finding.fate == Fate::miswritten || finding.fate == Fate::missing ||
                      finding.fate == Fate::healed;
    const std::string run = work_.run(first_);
    finding.next =
        shell_text(file ? std::vector<std::string>{"samestep", "gate", run,
                                                   work_.branch() + "/" + checkpoint_name_}
                        : std::vector<std::string>{"samestep", "diff", run, work_.run(kResumed)});
  }

  Report report() {
    Report report;
    report.verb = "audit";
    report.coverage = std::move(examined_.coverage);
    if (!request_.waivers.empty()) {
      apply_waivers(read_waivers(request_.waivers), day_of_today(), findings_, report.coverage);
      sort_findings(findings_);
    }
    if (!late_note_.empty()) report.coverage.not_compared.emplace_back("--at", late_note_);
    if (request_.controls == 0) {
      report.coverage.not_compared.emplace_back("control leg",
                                                "none was asked for: repeatability is not known");
    }
    const auto decided = decide(
        {findings_, examined_.steps, resumed_repeat_, uninterrupted_repeat_, first_unstable_});
    report.verdict = decided.verdict;
    quieten(findings_, decided.verdict == Verdict::same, report.coverage);
    drop_loop_variables(findings_, at_, report.coverage);
    const bool is_same = decided.verdict == Verdict::same;
    report.reason = is_same ? beside_warnings(decided.reason, findings_) : decided.reason;
    for (auto& finding : findings_) describe(finding);
    report.findings = std::move(findings_);
    report.divergence = examined_.steps.divergence;
    report.legs = std::move(legs_);
    for (const auto& clause : uninterrupted_.ranks.front().capture->contract.clauses) {
      report.contract[clause.name] = clause.value;
    }
    report.host["work"] = work_.path();
    report.host["checkpoint"] = work_.branch() + "/" + checkpoint_name_;
    return report;
  }

  const AuditRequest& request_;
  const Progress& progress_;
  const Workspace work_;
  std::optional<std::int64_t> asked_at_;
  std::string first_ = kUninterrupted;  ///< name of the uninterrupted leg that is judged
  std::string late_note_;
  std::int64_t at_ = 0;
  std::string checkpoint_name_;
  LegOutcome uninterrupted_, resumed_;
  Checkpoint checkpoint_;
  Examination examined_;
  std::vector<Finding> findings_;
  std::vector<LegReport> legs_;
  Repeat resumed_repeat_ = Repeat::not_run, uninterrupted_repeat_ = Repeat::not_run;
  std::string first_unstable_;
};

}  // namespace

Report run_audit(const AuditRequest& request, const Progress& progress) {
  refuse_unclear(request);
  if (!request.waivers.empty()) read_waivers(request.waivers);
  return Audit(request, progress).run();
}

}  // namespace samestep
