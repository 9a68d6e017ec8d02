#include "resume_check/refusals.h"

#include <algorithm>

#include "checkpoint/files/folder.h"
#include "resume_check/shortage.h"
#include "schemas/error.h"

namespace samestep {
namespace {

constexpr const char* kStepRemedy =
    "is the command a trainer, is its optimizer a torch.optim.Optimizer, and does it step before "
    "the command ends?";

/// Completed steps at the last boundary that any rank recorded.
std::int64_t last_step(const LegOutcome& outcome) {
  std::int64_t last = 0;
  for (const auto& rank : outcome.ranks) {
    for (const auto& begin : rank.log.begins) last = std::max(last, begin.completed);
  }
  return last;
}

/// The flag with which a Python was started so that it may not load what is installed beside it.
std::string isolating_flag(const std::vector<std::string>& argv) {
  if (name_of(argv.front()).rfind("python", 0) != 0) return {};
  for (std::size_t i = 1; i < argv.size(); ++i) {
    const auto& word = argv[i];
    if (word.size() < 2 || word[0] != '-' || word[1] == '-' || word == "-m" || word == "-c") break;
    if (word.find_first_of("ISE") != std::string::npos) return word;
  }
  return {};
}

std::string never_came(const LegOutcome& outcome, const LegAsked& asked) {
  const std::string wanted =
      asked.at ? "step " + std::to_string(*asked.at) : std::string("the step of the checkpoint");
  return "ended after step " + std::to_string(last_step(outcome)) + ", the begin that follows " +
         wanted + " never came";
}

std::string remedy_for(const LegAsked& asked) {
  if (asked.resumed) return "the resumed command must train at least one step more";
  if (asked.at) return "let it train longer, or give an earlier --at";
  return "let it train longer, or give --at with the number of optimizer steps that the checkpoint "
         "is of";
}

}  // namespace

void refuse_uncaptured(const LegOutcome& outcome, const LegAsked& asked) {
  const bool whole = std::all_of(outcome.ranks.begin(), outcome.ranks.end(),
                                 [](const auto& rank) { return rank.capture.has_value(); });
  if (whole) return;
  const std::string& log = outcome.report.log;
  const std::string hint = " (log " + log_hint(log) + ")";
  if (const auto shortage = disk_shortage(asked.folder, log, outcome.ranks)) {
    throw Error(ErrorCode::failed, "the disk is full: " + *shortage + hint, asked.name + " leg",
                kShortageRemedy);
  }
  if (!asked.resumed && last_step(outcome) == 0 && outcome.stepping.empty()) {
    throw Error(ErrorCode::failed,
                "a module was called as in training, but no optimizer step was seen" + hint,
                asked.name + " leg", kStepRemedy);
  }
  throw Error(ErrorCode::failed, never_came(outcome, asked) + hint, asked.name + " leg",
              remedy_for(asked));
}

void refuse_unrecorded(const LegRequest& request, const std::string& log) {
  if (request.plan.start > 0 || request.name.starts_with("control")) {
    // The leg before it was recorded by the same Python.
    throw Error(ErrorCode::failed, "trained no step (log " + log_hint(log) + ")",
                request.name + " leg", "the resumed command must train at least one step more");
  }
  std::string remedy =
      "is samestep installed in the Python that trains? `python -m pip show "
      "samestep` with that Python tells; ";
  const auto flag = isolating_flag(request.argv);
  remedy += flag.empty() ? "it must not be isolated (-I, -S, -E), and must train a torch module by "
                           "forward, backward and optimizer steps"
                         : "it is started with " + flag + ", which may hide it: leave that out";
  throw Error(ErrorCode::failed,
              "nothing was recorded: no Python of it loaded samestep and trained a PyTorch module"
              " (log " +
                  log_hint(log) + ")",
              request.name + " leg", remedy);
}

void refuse_unclear(const AuditRequest& request) {
  if (request.fresh.empty()) {
    throw Error(ErrorCode::usage, "no command to run", "audit", "give it after --");
  }
  const auto holds_out = [](const std::string& word) {
    return word.find("{out}") != std::string::npos;
  };
  if (std::none_of(request.fresh.begin(), request.fresh.end(), holds_out)) {
    throw Error(ErrorCode::usage,
                "the command has no {out}: each leg needs an output folder of its own",
                request.fresh.front(), "put {out} where it takes its output folder");
  }
  if (request.steps < 1) {
    throw Error(ErrorCode::usage, "at least one step must be compared", "--steps",
                "give 1 or more");
  }
  if (!request.at && request.checkpoint_glob.empty()) {
    throw Error(ErrorCode::usage, "neither --at nor --checkpoint says where the run is resumed",
                "audit", "give at least one of them");
  }
}

}  // namespace samestep
