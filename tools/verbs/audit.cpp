#include "resume_check/audit.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "checkpoint/files/glob.h"
#include "resume_check/shell_words.h"
#include "schemas/error.h"
#include "tools/cancel_signals.h"
#include "tools/help.h"
#include "tools/nearest.h"
#include "tools/option_checks.h"
#include "tools/progress.h"
#include "tools/reports.h"
#include "tools/verb.h"

namespace samestep {
namespace {

struct Options {
  AuditRequest request;
  std::string resume, store{to_string(StorePolicy::planes)};
  std::vector<std::string> stray;  ///< words of a command without "--" before it
  ReportOptions report;
};

constexpr const char* kExamples =
    "  samestep audit --at 4 --checkpoint checkpoint-4.pt \\\n"
    "      --resume 'python train.py --out {out} --resume {checkpoint}' \\\n"
    "      -- python train.py --out {out}\n"
    "  samestep audit --checkpoint 'checkpoint-*' -- python resumes_by_itself.py {out}\n"
    "  samestep audit --json --html report.html --junit report.xml \\\n"
    "      --at 4 -- torchrun --nproc-per-node 2 train.py {out}\n"
    "\n"
    "  {out} in a command is a fresh folder for each leg, {checkpoint} the checkpoint in it. At "
    "least\n"
    "  one of --at and --checkpoint is needed. The commands run the python that they name: it "
    "must\n"
    "  have samestep installed.\n";

constexpr std::int64_t kStepMax = 1'000'000'000'000, kStepsMax = 1'000'000, kControlsMax = 1000;

// "{out}/x" is "x" below {out}. A pattern that cannot match there is refused before hours of legs.
void set_glob(AuditRequest& request) {
  constexpr std::string_view kOut = "{out}/";
  std::string& glob = request.checkpoint_glob;
  if (glob.empty()) return;
  if (glob.starts_with(kOut)) glob.erase(0, kOut.size());
  try {
    check_glob(glob);
  } catch (const Error& error) {
    throw Error(ErrorCode::usage, "\"" + glob + "\" can match nothing: " + error.message(),
                "--checkpoint", "the pattern is relative to {out}: give it as in 'checkpoint-*'");
  }
}

// "{word}" where it is near to a name that is filled in: a typing error, found before an hour's
// leg.
void refuse_misspelt(const std::vector<std::string>& words) {
  const std::vector<std::string> known{"out", "checkpoint"};
  for (const std::string& word : words) {
    for (std::size_t at = word.find('{'); at != std::string::npos; at = word.find('{', at + 1)) {
      const std::size_t end = word.find('}', at);
      if (end == std::string::npos || (at > 0 && word[at - 1] == '$')) continue;
      const std::string name = word.substr(at + 1, end - at - 1);
      const std::string meant = nearest(name, known);
      if (meant.empty() || meant == name) continue;
      throw Error(ErrorCode::usage, "\"{" + name + "}\" is filled in by nothing", word,
                  "did you mean {" + meant + "}?");
    }
  }
}

Result run(const Options& options, const Screen& screen) {
  AuditRequest request = options.request;
  if (!options.stray.empty()) {
    throw Error(ErrorCode::usage, "\"" + options.stray.front() + "\" is no option of audit",
                "command line", "put -- before the training command");
  }
  if (request.fresh.empty()) {
    throw Error(ErrorCode::usage, "the training command is missing", "command line",
                "put it after --, as in `samestep audit --at 4 -- python train.py --out {out}`");
  }
  if (!options.resume.empty()) request.resume = shell_words(options.resume);
  request.store = *store_policy_from(options.store);
  set_glob(request);
  refuse_misspelt(request.fresh);
  if (request.resume) refuse_misspelt(*request.resume);
  refuse_unwritable(options.report);
  const CancelSignals signals;
  Report report;
  {
    ProgressLine line(screen);
    report = run_audit(request, [&line](const std::string& text) { line.show(text); });
  }
  return deliver(report, options.report, screen);
}

void add_options(CLI::App& verb, Options& options) {
  AuditRequest& request = options.request;
  verb.add_option("command", options.stray)->group("");  // not shown: it is refused
  verb.add_option("--resume", options.resume, "The command that resumes; else the same command")
      ->type_name("\"ARGV\"")
      ->check(some_text("--resume",
                        "give the command, or leave --resume out where the same one resumes"));
  verb.add_option("--checkpoint", request.checkpoint_glob,
                  "The checkpoint below {out}; else, with --at, the only one there")
      ->type_name("GLOB")
      ->check(some_text("--checkpoint", "give a pattern, or leave --checkpoint out"));
  verb.add_option("--at", request.at,
                  "Step at which it is taken; else, with --checkpoint, when it appears")
      ->type_name("K")
      ->transform(whole_number("--at", 0, kStepMax));
  verb.add_option("--steps", request.steps, "Steps to compare after it")
      ->type_name("M")
      ->transform(whole_number("--steps", 1, kStepsMax))
      ->capture_default_str();
  verb.add_option("--controls", request.controls, "Control legs")
      ->type_name("N")
      ->transform(whole_number("--controls", 0, kControlsMax))
      ->capture_default_str();
  verb.add_flag("--ops", request.operators,
                "Where the legs part, trace that step's operators in two more legs");
  verb.add_option("--work", request.work, "Folder for legs, logs and records; else a new one")
      ->type_name("DIR")
      ->check(some_text("--work", "name a folder, or leave --work out"));
  verb.add_option("--timeout", request.leg_seconds_max, "Time limit of each leg")
      ->type_name("SECONDS")
      ->transform(seconds("--timeout"))
      ->capture_default_str();
  verb.add_option("--store", options.store, "Captures: planes are smaller, raw is faster to write")
      ->type_name("NAME")
      ->check(one_of("--store", {"raw", "planes"}))
      ->capture_default_str();
  verb.add_option("--waivers", request.waivers, "Accepted differences (samestep schema waivers.v1)")
      ->type_name("FILE")
      ->check(some_text("--waivers", "name a file, or leave --waivers out"));
}

}  // namespace

Verb add_audit(CLI::App& app, std::vector<std::string> command) {
  auto options = std::make_shared<Options>();
  options->request.fresh = std::move(command);
  CLI::App* verb = app.add_subcommand(
      "audit", "Does the resumed run go on as the uninterrupted one? If not, which field?");
  add_options(*verb, *options);
  add_report_options(*verb, options->report);
  set_help(
      *verb,
      {"[OPTIONS] -- COMMAND...", kExamples, "the resumed steps are the uninterrupted steps",
       "they diverge, or state was lost", "the run is not repeatable, or not enough was compared"});
  return {verb, [options](const Screen& screen) { return run(*options, screen); }};
}

}  // namespace samestep
