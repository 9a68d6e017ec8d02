// Verdict: one word and one sentence, from what was found and what was repeated.
#pragma once

#include <string>
#include <vector>

#include "resume_check/divergence.h"
#include "schemas/report.h"

namespace samestep {

/// Whether a leg that was run again came out the same.
enum class Repeat : unsigned char {
  not_run,
  equal,
  unstable,  ///< it did not: the run does not repeat itself
  recorder,  ///< two recorded legs agree and the one without the full recorder does not: ours is
             ///< the fault
  unknown,   ///< it left nothing to compare
};

struct VerdictQuestion {
  const std::vector<Finding>& findings;  ///< graded
  const StepsComparison& steps;
  Repeat resumed = Repeat::not_run;  ///< the resumed leg, repeated
  Repeat uninterrupted =
      Repeat::not_run;  ///< the uninterrupted leg, repeated (asked for when steps part unexplained)
  std::string first_unstable;  ///< what differed first between repeated legs
};

struct Decided {
  Verdict verdict = Verdict::undecided;
  std::string reason;
};

/// `same` needs equal state and steps, a control that repeats, and movement. State that is
/// confirmed to be wrong is `diverged` even where the steps do not repeat. Steps that part from
/// equal state are `diverged` when both legs repeat.
Decided decide(const VerdictQuestion& question);

/// The reason of a verdict `same` beside whose findings (warnings, all of them) it would read as if
/// nothing differed.
std::string beside_warnings(const std::string& reason, const std::vector<Finding>& warnings);

/// Of the comparison `steps` what says anything: steps of a run that does not repeat itself, or
/// that the recorder changed, say nothing.
StepsComparison steps_that_count(StepsComparison steps, Repeat resumed);

/// The finding for steps that part from equal state, in legs that repeat themselves, where nothing
/// else explains it; `evidence` says what is left.
Finding unexplained(const DivergenceReport& divergence, std::string evidence);

/// Some finding of state is confirmed.
bool is_explained(const std::vector<Finding>& findings);

/// True when the steps part and no confirmed finding of state says why (an input that a forward
/// received does not): the uninterrupted leg must be repeated first.
bool needs_fresh_control(const std::vector<Finding>& findings, const StepsComparison& steps);

}  // namespace samestep
