#include "capture/prune.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <set>

#include "schemas/error.h"
#include "tools/help.h"
#include "tools/option_checks.h"
#include "tools/prune_result.h"
#include "tools/verb.h"

namespace samestep {
namespace {

struct Options {
  std::string run;
  std::string keep;
  std::int64_t keep_last = 0;
  bool dry_run = false, json = false;
};

constexpr const char* kExamples =
    "  samestep prune --dry-run --keep-last 3 work/uninterrupted/run\n"
    "  samestep prune --keep-last 3 --keep 1000,2000 work/uninterrupted/run\n"
    "  samestep prune work/uninterrupted/run     what killed writers left, nothing else\n";

constexpr std::int64_t kStepMax = 1'000'000'000'000;

std::set<std::int64_t> steps_in(const std::string& list) {
  std::set<std::int64_t> steps;
  const CLI::Validator whole = whole_number("--keep", 0, kStepMax);
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    std::string step = list.substr(begin, end - begin);
    whole(step);
    steps.insert(std::stoll(step));
    begin = end + 1;
  }
  return steps;
}

Result run(const Options& options, bool has_last, bool has_keep) {
  if (has_last && options.keep_last < 1)
    throw Error(ErrorCode::usage, "at least the last capture is kept", "--keep-last",
                "say 1 or more; to remove all captures remove the folder .samestep");
  PruneChoice choice;
  if (has_keep) choice.steps = steps_in(options.keep);
  if (has_last) choice.last = options.keep_last;
  choice.dry_run = options.dry_run;
  const PruneOutcome outcome = prune_run(options.run, choice);
  return {options.json ? prune_json(outcome, options.run, options.dry_run)
                       : prune_text(outcome, options.dry_run),
          Verdict::same};
}

}  // namespace

Verb add_prune(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand(
      "prune", "Remove captures of a run, and what no capture needs. Others may read meanwhile");
  verb->add_option("run", options->run, "A run folder, in which .samestep lies")
      ->type_name("RUN")
      ->required()
      ->check(some_text("RUN", "name a run folder"));
  CLI::Option* keep = verb->add_option("--keep", options->keep, "Keep the captures of these steps")
                          ->type_name("STEP,...");
  CLI::Option* last =
      verb->add_option("--keep-last", options->keep_last, "Keep the last N complete captures")
          ->type_name("N")
          ->transform(whole_number("--keep-last", 0, kStepMax));
  verb->add_flag("--dry-run", options->dry_run, "Only say what would be removed");
  verb->add_flag("--json", options->json, "Print one JSON document (samestep schema prune.v1)");
  set_help(*verb, {"[OPTIONS] RUN", kExamples,
                   "done; without --keep and --keep-last no capture is "
                   "removed"});
  return {verb, [options, last, keep](const Screen&) {
            return run(*options, last->count() > 0, keep->count() > 0);
          }};
}

}  // namespace samestep
