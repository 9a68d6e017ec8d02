// Help texts: each verb's has examples and an EXIT STATUS part.
#pragma once

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
    "  samestep audit --at 4 --checkpoint 'checkpoint-4' -- python train.py --out {out}\n";

/// What the exit codes of one verb mean, a line each without the number; null where it never ends
/// so.
struct ExitStatus {
  const char* same = nullptr;
  const char* diverged = nullptr;
  const char* undecided = nullptr;
};

/// Gives `app` its EXAMPLES and EXIT STATUS parts.
void set_help(CLI::App& app, const ExitStatus& status, const char* examples);

}  // namespace samestep
