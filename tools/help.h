// Help texts: each verb's has examples and an EXIT STATUS part.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace samestep {

inline constexpr const char* kPurpose =
    "Audits resumed training runs: the resumed step equals the uninterrupted step, bit for bit,\n"
    "or the state field that is to blame is named.";

inline constexpr const char* kMainExamples =
    "  samestep inspect out/checkpoint-500\n"
    "  samestep diff out/checkpoint-500 other/checkpoint-500\n"
    "  samestep audit --at 4 --checkpoint 'checkpoint-4' -- python train.py --out {out}\n"
    "  samestep help audit\n";

/// What a help text says beside the options that CLI11 knows.
struct HelpText {
  const char* arguments;            ///< of the usage line: "[OPTIONS] A B"
  const char* examples;             ///< indented lines, each ended
  const char* same;                 ///< what exit code 0 means
  const char* diverged = nullptr;   ///< 1; null: never
  const char* undecided = nullptr;  ///< 3; null: never
};

/// The first command among the EXAMPLES of a help text that set_help() made, without its rest when
/// it goes on in the next line.
std::string first_example(const CLI::App& app);

/// Gives `app` its usage line, and its EXAMPLES and EXIT STATUS parts.
void set_help(CLI::App& app, const HelpText& help);

}  // namespace samestep
