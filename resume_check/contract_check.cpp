#include "resume_check/contract_check.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

#include "resume_check/ignore_list.h"

namespace samestep {
namespace {

/// Clauses that differ between any two launches, and decide no bit.
constexpr std::array<std::string_view, 8> kLaunchClauses{
    "argv*",      "*.argv",        "*cwd",     "*pid",
    "*hostname*", "*MASTER_PORT*", "*RUN_ID*", "*RESTART_COUNT*"};

Side side_of(const std::string* value) {
  Side side;
  side.present = value != nullptr;
  if (value) side.value = Value(*value);
  return side;
}

Finding breach(const std::string& name, const std::string* source, const std::string* target,
               int rank) {
  Finding finding;
  finding.kind = FindingKind::breach;
  finding.grade = Grade::warning;
  finding.field = "plan/" + name;
  finding.component = "plan";
  finding.rank = rank;
  finding.captured = side_of(source);
  finding.restored = side_of(target);
  finding.evidence.push_back(name + " was " + (source ? *source : "not set") +
                             ", in the resumed run it is " + (target ? *target : "not set"));
  return finding;
}

bool decides_nothing(const std::string& name) {
  return std::any_of(kLaunchClauses.begin(), kLaunchClauses.end(),
                     [&](std::string_view pattern) { return glob_matches(pattern, name); });
}

/// "dataloader.1." of "dataloader.1.batch_size"; empty for what is no clause of a loader.
std::string loader_of(const std::string& name) {
  const auto dot = name.rfind('.');
  return name.starts_with("dataloader") && dot != std::string::npos ? name.substr(0, dot + 1) : "";
}

bool has_loader(const Contract& contract, const std::string& loader) {
  return std::any_of(contract.clauses.begin(), contract.clauses.end(),
                     [&](const Clause& clause) { return loader_of(clause.name) == loader; });
}

/// A run that resumes inside an epoch goes through a loader more, that skips; an evaluation has
/// one of its own.
bool is_of_one_sided_loader(const std::string& name, const Contract& source,
                            const Contract& target) {
  const auto loader = loader_of(name);
  return !loader.empty() && has_loader(source, loader) != has_loader(target, loader);
}

}  // namespace

std::vector<Finding> breaches_between(const Contract& source, const Contract& target, int rank) {
  std::map<std::string, std::pair<const std::string*, const std::string*>> clauses;
  for (const auto& clause : source.clauses) clauses[clause.name].first = &clause.value;
  for (const auto& clause : target.clauses) clauses[clause.name].second = &clause.value;
  std::vector<Finding> breaches;
  for (const auto& [name, values] : clauses) {
    const auto [before, after] = values;
    if ((before && after && *before == *after) || decides_nothing(name)) continue;
    if (is_of_one_sided_loader(name, source, target)) continue;
    breaches.push_back(breach(name, before, after, rank));
  }
  return breaches;
}

}  // namespace samestep
