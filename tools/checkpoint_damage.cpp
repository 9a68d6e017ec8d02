#include "tools/checkpoint_damage.h"

#include <algorithm>
#include <thread>

namespace samestep {
namespace {

constexpr unsigned kThreadsMax = 16;

const char* mark_of(Problem::Kind kind) {
  switch (kind) {
    case Problem::Kind::damaged:
      return "damaged";
    case Problem::Kind::incomplete:
      return "incomplete";
    case Problem::Kind::inconsistent:
      return "inconsistent";
  }
  return "damaged";
}

}  // namespace

Finding damage_finding(const std::string& where, const char* mark, const std::string& message) {
  Finding finding;
  finding.kind = FindingKind::breach;
  finding.field = where;
  finding.component = FieldPath(where).component();
  finding.marks = {mark};
  finding.evidence = {message};
  return finding;
}

std::vector<Finding> checkpoint_damage(const Checkpoint& checkpoint, VerifyOptions options,
                                       VerifyFigures* figures) {
  options.threads =
      static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, kThreadsMax));
  std::vector<Finding> findings;
  for (const Problem& problem : verify_checkpoint(checkpoint, options, figures))
    findings.push_back(damage_finding(problem.where, mark_of(problem.kind), problem.message));
  return findings;
}

}  // namespace samestep
