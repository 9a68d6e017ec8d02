#include <CLI/CLI.hpp>
#include <memory>

#include "tools/diff_subjects.h"
#include "tools/help.h"
#include "tools/option_checks.h"
#include "tools/reports.h"
#include "tools/verb.h"

namespace samestep {
namespace {

struct Options {
  std::string source, target, digest = "xxh3";
  bool quick = false, exact = false;
  ReportOptions report;
};

constexpr const char* kExamples =
    "  samestep diff out/checkpoint-500 other/checkpoint-500\n"
    "  samestep diff model.pt model.safetensors\n"
    "  samestep diff --digest sha256 downloaded.pt published.pt\n"
    "  samestep diff --quick checkpoint-500.pt checkpoint-501.pt\n"
    "  samestep diff --json work/uninterrupted/run work/resumed/run\n";

Result run(const Options& options, const Screen& screen) {
  refuse_unwritable(options.report);
  const EqualBy by = options.digest == "sha256" ? EqualBy::sha256 : EqualBy::xxh3;
  const Counting counting = options.exact ? Counting::exact : Counting::as_audit;
  const Report report = options.quick ? quick_diff_subjects(options.source, options.target)
                                      : diff_subjects(options.source, options.target, by, counting);
  return deliver(report, options.report, screen);
}

}  // namespace

Verb add_diff(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* verb =
      app.add_subcommand("diff", "Where do two checkpoints or captures, of any format, differ?");
  verb->add_option("a", options->source, "A checkpoint or capture")
      ->type_name("A")
      ->required()
      ->check(some_text("A", "name a path"));
  verb->add_option("b", options->target, "Another one")
      ->type_name("B")
      ->required()
      ->check(some_text("B", "name a path"));
  CLI::Option* const quick =
      verb->add_flag("--quick", options->quick,
                     "Of two torch.save files compare only the checksums that they hold: a hint");
  verb->add_flag(
          "--exact", options->exact,
          "Of two captures count each field, also clocks, paths and others that an audit does "
          "not count")
      ->excludes(quick);
  verb->add_option("--digest", options->digest,
                   "By what fields are equal; sha256 where somebody may have forged them")
      ->type_name("NAME")
      ->check(one_of("--digest", {"xxh3", "sha256"}))
      ->excludes(quick)
      ->capture_default_str();
  add_report_options(*verb, options->report);
  set_help(*verb,
           {"[OPTIONS] A B", kExamples, "same", "they differ", "no field could be compared"});
  return {verb, [options](const Screen& screen) { return run(*options, screen); }};
}

}  // namespace samestep
