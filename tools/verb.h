// Verb: a sub-command of samestep. One file each in tools/verbs.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "schemas/error.h"
#include "schemas/report.h"
#include "tools/screen.h"

namespace CLI {  // NOLINT(readability-identifier-naming): it is the name of a library
class App;
}

namespace samestep {

/// What a verb hands to main: the whole text for standard output, and what it found.
struct Result {
  std::string output;
  Verdict verdict = Verdict::same;
  /// What could not be done beside it: told after the output, as the exit code.
  std::optional<Error> trouble = std::nullopt;
};

/// A sub-command that was added to the command line; `run` is called when it was the one chosen,
/// after parsing, and may throw Error.
struct Verb {
  CLI::App* command;
  std::function<Result(const Screen&)> run;
};

Verb add_inspect(CLI::App& app);
Verb add_verify(CLI::App& app);
Verb add_diff(CLI::App& app);
Verb add_gate(CLI::App& app);
/// `command` is what stood after "--": the trainer's own words, which CLI11 never sees.
Verb add_audit(CLI::App& app, std::vector<std::string> command);
Verb add_prune(CLI::App& app);
Verb add_schema(CLI::App& app);

}  // namespace samestep
