#include "resume_check/verdict.h"

#include <algorithm>
#include <set>
#include <utility>

#include "resume_check/quiet.h"
#include "schemas/count_text.h"

namespace samestep {
namespace {

bool confirmed_state(const Finding& finding) {
  return finding.kind == FindingKind::gap && finding.grade == Grade::confirmed;
}

std::string state_reason(const VerdictQuestion& question) {
  const auto& findings = question.findings;
  const auto count = std::count_if(findings.begin(), findings.end(), confirmed_state);
  const auto& first = *std::find_if(findings.begin(), findings.end(), confirmed_state);
  std::string text = first.field + " " + std::string(to_string(*first.fate));
  if (count > 1) {
    text += ", and " + std::to_string(count - 1) + (count == 2 ? " more field" : " more fields");
  }
  text += " just before the resumed step";
  if (question.resumed == Repeat::unstable) {
    return text + "; the steps themselves do not repeat (" + question.first_unstable + ")";
  }
  if (question.steps.divergence) {
    text += "; the runs part at " + question.steps.divergence->first.text();
  } else if (question.steps.steps > 0) {
    text +=
        "; latent: the " + std::to_string(question.steps.steps) + " compared steps are still equal";
  }
  return text;
}

Decided parted_without_a_gap(const VerdictQuestion& question) {
  const auto where = question.steps.divergence->first.text();
  if (question.uninterrupted == Repeat::unstable) {
    return {Verdict::undecided, "two uninterrupted runs do not agree either, first at " +
                                    question.first_unstable + ": make the run repeatable first"};
  }
  const auto breach =
      std::find_if(question.findings.begin(), question.findings.end(), [](const Finding& finding) {
        return finding.kind == FindingKind::breach && finding.grade == Grade::confirmed;
      });
  if (breach != question.findings.end()) {
    return {Verdict::diverged, "all state is equal and the steps part at " + where + "; " +
                                   breach->field + " differs between the runs"};
  }
  const auto differing =
      std::count_if(question.findings.begin(), question.findings.end(), [](const Finding& finding) {
        return finding.kind == FindingKind::gap && finding.fate != Fate::healed &&
               finding.captured.digest != finding.restored.digest;
      });
  if (differing > 0) {
    return {Verdict::diverged,
            "the steps part at " + where + ", and of what differs before it (" +
                count_text(static_cast<std::uint64_t>(differing), "warning") +
                ") nothing is known to matter: one of that, state that no probe saw, or another "
                "execution plan"};
  }
  return {Verdict::diverged, "all watched state is equal and the steps part at " + where +
                                 ": state that no probe saw, or another execution plan"};
}

}  // namespace

std::string beside_warnings(const std::string& reason, const std::vector<Finding>& warnings) {
  if (warnings.empty()) return reason;
  std::set<std::string> fields;  // each once, though several ranks have it
  for (const Finding& finding : warnings) fields.insert(finding.field);
  return reason + "; " + count_text(fields.size(), "field") +
         (fields.size() == 1 ? " differs" : " differ") + " without effect on them (warnings)";
}

StepsComparison steps_that_count(StepsComparison steps, Repeat resumed) {
  if (resumed == Repeat::unstable || resumed == Repeat::recorder) {
    steps.divergence.reset();
    steps.batches_differ = false;
    steps.steps = 0;
  }
  return steps;
}

Finding unexplained(const DivergenceReport& divergence, std::string evidence) {
  Finding finding;
  finding.kind = FindingKind::divergence;
  finding.field = divergence.name;
  finding.component = FieldPath(divergence.name).component();
  finding.rank = divergence.first.rank;
  finding.where = divergence.first;
  finding.evidence.push_back(std::move(evidence));
  return finding;
}

bool is_explained(const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(), confirmed_state);
}

bool needs_fresh_control(const std::vector<Finding>& findings, const StepsComparison& steps) {
  return steps.divergence &&
         std::none_of(findings.begin(), findings.end(), [](const Finding& finding) {
           return confirmed_state(finding) && !is_marked(finding, "input");
         });
}

Decided decide(const VerdictQuestion& question) {
  const auto& steps = question.steps;
  const auto& findings = question.findings;
  if (std::any_of(findings.begin(), findings.end(), confirmed_state)) {
    return {Verdict::diverged, state_reason(question)};
  }
  if (question.resumed == Repeat::recorder) {
    return {Verdict::undecided, "the recorder changed what it recorded (" +
                                    question.first_unstable +
                                    "): a fault of samestep, please report it"};
  }
  if (question.resumed == Repeat::unstable) {
    return {Verdict::undecided, "two resumed runs do not agree, first at " +
                                    question.first_unstable + ": make the run repeatable first"};
  }
  if (steps.divergence) return parted_without_a_gap(question);
  if (steps.steps == 0) {
    return {Verdict::undecided, "the state is equal, but no step after it was compared"};
  }
  if (!steps.moved) {
    return {Verdict::undecided, "nothing moved in the compared steps: they prove nothing"};
  }
  if (question.resumed == Repeat::unknown) {
    return {Verdict::undecided, "the repeated leg left nothing to compare"};
  }
  return {Verdict::same, "state and " +
                             count_text(static_cast<std::uint64_t>(steps.steps), "step") +
                             " are equal, bit for bit"};
}

}  // namespace samestep
