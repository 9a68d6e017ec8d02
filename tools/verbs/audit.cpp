#include "resume_check/audit.h"

#include <CLI/CLI.hpp>
#include <memory>

#include "schemas/error.h"
#include "tools/cancel_signals.h"
#include "tools/help.h"
#include "tools/progress.h"
#include "tools/reports.h"
#include "tools/shell_words.h"
#include "tools/verb.h"

namespace samestep {
namespace {

struct Options {
  AuditRequest request;
  std::string resume;
  std::vector<std::string> stray;  ///< words of a command without "--" before it
  ReportOptions report;
};

constexpr const char* kExamples =
    "  samestep audit --at 4 --checkpoint checkpoint-4.pt \\\n"
    "      --resume 'python train.py --out {out} --resume {checkpoint}' \\\n"
    "      -- python train.py --out {out}\n"
    "  samestep audit --checkpoint 'checkpoint-*' -- python resumes_by_itself.py {out}\n"
    "  samestep audit --json --html report.html --junit report.xml \\\n"
    "      --at 4 -- torchrun train.py {out}\n"
    "\n"
    "  {out} in a command is a fresh folder for each leg, {checkpoint} the checkpoint in it.\n";

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
  if (!options.resume.empty()) {
    request.resume = shell_words(options.resume);
    if (request.resume->empty()) {
      throw Error(ErrorCode::usage, "the command of --resume is blank", "command line",
                  "leave --resume out where the same command resumes by itself");
    }
  }
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
      ->type_name("\"ARGV\"");
  verb.add_option("--checkpoint", request.checkpoint_glob,
                  "The checkpoint below {out}; else, with --at, the only one there")
      ->type_name("GLOB");
  verb.add_option("--at", request.at,
                  "Step at which it is taken; else, with --checkpoint, when it appears")
      ->type_name("K")
      ->check(CLI::NonNegativeNumber);
  verb.add_option("--steps", request.steps, "Steps to compare after it")
      ->type_name("M")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  verb.add_option("--controls", request.controls, "Control legs")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  verb.add_option("--work", request.work, "Folder for legs, logs and records; else a new one")
      ->type_name("DIR");
  verb.add_option("--timeout", request.leg_seconds_max, "Time limit of each leg")
      ->type_name("SECONDS")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  verb.add_option("--waivers", request.waivers, "Accepted differences (samestep schema waivers.v1)")
      ->type_name("FILE");
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
