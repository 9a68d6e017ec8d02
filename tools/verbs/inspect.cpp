#include <CLI/CLI.hpp>
#include <memory>

#include "schemas/json/inspect_json.h"
#include "tools/help.h"
#include "tools/named_errors.h"
#include "tools/option_checks.h"
#include "tools/render/inspection_text.h"
#include "tools/subject.h"
#include "tools/verb.h"

namespace samestep {
namespace {

struct Options {
  std::string path;
  std::vector<std::string> digests;
  bool json = false, fields = false;
};

constexpr const char* kExamples =
    "  samestep inspect out/checkpoint-500\n"
    "  samestep inspect --fields model.safetensors\n"
    "  samestep inspect --json --digest sha256 out/checkpoint-500 | jq '.components'\n"
    "  samestep inspect work/uninterrupted/run\n";

Result run(const Options& options, const Screen& screen) {
  DigestChoice digests;
  for (const std::string& name : options.digests) {
    (name == "sha256" ? digests.sha256 : digests.xxh3) = true;
  }
  const Inspection inspection = read_named(options.path, [&] {
    return inspect_subject(options.path, open_subject(options.path), digests);
  });
  if (options.json) return {inspection_to_json(inspection), Verdict::same};
  const bool fields = options.fields || digests.xxh3 || digests.sha256;
  return {inspection_text(inspection, screen, fields), Verdict::same};
}

}  // namespace

Verb add_inspect(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* verb =
      app.add_subcommand("inspect", "What durable state does it hold, and what does it lack?");
  verb->add_option("path", options->path, "A checkpoint (file or folder) or a capture")
      ->type_name("CHECKPOINT|CAPTURE")
      ->required()
      ->check(some_text("CHECKPOINT|CAPTURE", "name a path"));
  verb->add_flag("--json", options->json, "Print one JSON document (samestep schema inspect.v1)");
  verb->add_flag("--fields", options->fields, "List each field");
  verb->add_option("--digest", options->digests,
                   "Digest each field: xxh3, sha256 or both; in full with --json")
      ->type_name("NAME[,NAME]")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"xxh3", "sha256"}));
  set_help(*verb, {"[OPTIONS] CHECKPOINT|CAPTURE", kExamples, "it could be read"});
  return {verb, [options](const Screen& screen) { return run(*options, screen); }};
}

}  // namespace samestep
