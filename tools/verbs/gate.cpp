#include "resume_check/gate.h"

#include <CLI/CLI.hpp>
#include <future>
#include <memory>
#include <utility>

#include "checkpoint/several.h"
#include "checkpoint/signals_blocked.h"
#include "resume_check/digests.h"
#include "resume_check/shell_words.h"
#include "schemas/error.h"
#include "tools/help.h"
#include "tools/named_errors.h"
#include "tools/option_checks.h"
#include "tools/reports.h"
#include "tools/run_damage.h"
#include "tools/subject.h"
#include "tools/verb.h"

namespace samestep {
namespace {

struct Options {
  std::string capture, checkpoint;
  ReportOptions report;
};

constexpr const char* kExamples =
    "  samestep gate work/uninterrupted/run out/checkpoint-500\n"
    "  samestep gate --junit gate.xml run/.samestep/captures/500 out/checkpoint-500\n";

void refuse_capture(const std::string& path) {
  if (!looks_like_capture(path)) return;
  throw Error(ErrorCode::usage, "is a capture of samestep, not a checkpoint", path,
              "name what the trainer saved; to compare two captures use samestep diff");
}

Checkpoint open_for_gate(const std::string& path) {
  return read_named(path, [&] {
    refuse_capture(path);
    refuse_part_of_run(path);
    refuse_several_checkpoints(path);
    Checkpoint checkpoint = open_checkpoint(path);
    compute_digests(checkpoint.tree);
    return checkpoint;
  });
}

/// Both are read at the same time; of two errors the capture's is thrown. The capture, a manifest
/// of many small texts, is read in this thread: the allocator lets memory of the first thread grow
/// in large steps, that of others page by page.
std::pair<std::vector<RankRecord>, Checkpoint> read_sides(const Options& options) {
  std::future<Checkpoint> checkpoint;
  {
    const SignalsBlocked blocked;
    checkpoint = std::async(std::launch::async | std::launch::deferred,
                            [&] { return open_for_gate(options.checkpoint); });
  }
  auto capture = read_for_gate(options.capture);
  return {std::move(capture), checkpoint.get()};
}

Result run(const Options& options, const Screen& screen) {
  refuse_unwritable(options.report);
  if (!looks_like_capture(options.capture)) {
    refuse_work_folder(options.capture);
    throw Error(ErrorCode::usage, "no capture of samestep is here", options.capture,
                "name a run folder, captures/<step> in one, or a rank's manifest; to compare two "
                "checkpoints use samestep diff");
  }
  auto [capture, checkpoint] = read_sides(options);
  const auto lost = forget_lost_bytes(options.capture, capture);
  Report report = gate(capture, checkpoint);
  for (const std::string& sentence : lost)
    report.coverage.not_compared.emplace_back("the bytes of the capture", sentence);
  for (Finding& finding : report.findings) {
    if (finding.next.empty()) {
      finding.next = shell_text({"samestep", "inspect", "--fields", options.checkpoint});
    }
  }
  return deliver(report, options.report, screen);
}

}  // namespace

Verb add_gate(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand(
      "gate", "Does the checkpoint hold all the captured live state, bit for bit?");
  verb->add_option("capture", options->capture, "A capture")
      ->type_name("CAPTURE")
      ->required()
      ->check(some_text("CAPTURE", "name a path"));
  verb->add_option("checkpoint", options->checkpoint, "The checkpoint written at that moment")
      ->type_name("CHECKPOINT")
      ->required()
      ->check(some_text("CHECKPOINT", "name a path"));
  add_report_options(*verb, options->report);
  set_help(*verb, {"[OPTIONS] CAPTURE CHECKPOINT", kExamples, "it does",
                   "refused: state is missing from it or differs", "not enough was captured"});
  return {verb, [options](const Screen& screen) { return run(*options, screen); }};
}

}  // namespace samestep
