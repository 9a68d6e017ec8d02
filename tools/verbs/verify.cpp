#include <CLI/CLI.hpp>
#include <charconv>
#include <memory>

#include "schemas/error.h"
#include "tools/help.h"
#include "tools/option_checks.h"
#include "tools/reports.h"
#include "tools/verb.h"
#include "tools/verify_subject.h"

namespace samestep {
namespace {

struct Options {
  std::string path, subset = "100%";
  ReportOptions report;
};

constexpr const char* kExamples =
    "  samestep verify out/checkpoint-500\n"
    "  samestep verify --read-data-subset 10% out/checkpoint-500\n"
    "  samestep verify work/uninterrupted/run\n";

// "10%" or "0.1" as a share.
double share_of(const std::string& text) {
  const bool percent = !text.empty() && text.back() == '%';
  const char* const last = text.data() + text.size() - (percent ? 1 : 0);
  double number = 0;
  const auto end = std::from_chars(text.data(), last, number);
  const double share = percent ? number / 100 : number;
  if (end.ec != std::errc() || end.ptr != last || !(share > 0) || share > 1) {
    throw Error(ErrorCode::usage, "\"" + text + "\" is no share of the data", "--read-data-subset",
                "say it as 10% or 0.1, more than 0 and at most 100%");
  }
  return share;
}

Result run(const Options& options, const Screen& screen) {
  refuse_unwritable(options.report);
  const double share = share_of(options.subset);
  Report report;
  {
    ProgressLine progress(screen);
    report = verify_subject(options.path, share, progress);
  }
  return deliver(report, options.report, screen);
}

}  // namespace

Verb add_verify(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* verb =
      app.add_subcommand("verify", "Are the bytes what their digests and checksums say?");
  verb->add_option("path", options->path, "A checkpoint, a capture or a run folder")
      ->type_name("CHECKPOINT|CAPTURE|RUN")
      ->required()
      ->check(some_text("CHECKPOINT|CAPTURE|RUN", "name a path"));
  verb->add_option("--read-data-subset", options->subset, "Read only this share of the data")
      ->type_name("SHARE")
      ->capture_default_str();
  add_report_options(*verb, options->report);
  set_help(*verb, {"[OPTIONS] CHECKPOINT|CAPTURE|RUN", kExamples, "nothing wrong was found",
                   "damaged, incomplete or inconsistent"});
  return {verb, [options](const Screen& screen) { return run(*options, screen); }};
}

}  // namespace samestep
