#include "tools/run_damage.h"

#include "resume_check/shell_words.h"
#include "schemas/count_text.h"
#include "tools/checkpoint_damage.h"

namespace samestep {
namespace {

constexpr std::size_t kNamesShown = 3;
constexpr std::size_t kStepsShown = 8;

std::string captures_text(const std::set<std::int64_t>& steps) {
  std::string text = steps.size() == 1 ? "capture " : "captures ";
  std::size_t shown = 0;
  for (const std::int64_t step : steps) {
    if (shown == kStepsShown) break;
    if (shown > 0) text += shown + 1 == steps.size() ? " and " : ", ";
    text += std::to_string(step);
    ++shown;
  }
  if (steps.size() > shown) text += " and " + std::to_string(steps.size() - shown) + " more";
  return text;
}

std::string names_text(const PackTrouble& trouble) {
  std::vector<std::string> names;
  names.reserve(trouble.fields.size());
  for (const auto& [rank, name] : trouble.fields) names.push_back(name);
  return some_of(names, kNamesShown);
}

}  // namespace

std::string pack_sentence(const PackTrouble& trouble) {
  std::string text = trouble.message + "; lost with it: the bytes of " +
                     count_text(trouble.fields.size(), "field") + " of " +
                     captures_text(trouble.captures) + " (" + names_text(trouble) + ")";
  if (!trouble.others.empty())
    text += "; " + captures_text(trouble.others) +
            (trouble.others.size() == 1 ? " needs it as well" : " need it as well");
  return text;
}

Finding pack_finding(const PackTrouble& trouble, const std::string& path) {
  Finding finding =
      damage_finding(trouble.name, to_string(trouble.trouble), pack_sentence(trouble));
  finding.rank = trouble.fields.front().first;
  finding.evidence.emplace_back(
      trouble.trouble == FileTrouble::unreadable
          ? "make it readable"
          : "copy it back from where the run was recorded, or record the run again: digests and "
            "small values of these fields are all that is left of them");
  finding.next = shell_text({"samestep", "inspect", "--fields", path});
  return finding;
}

std::vector<std::string> forget_lost_bytes(const std::string& path,
                                           std::vector<RankRecord>& records) {
  std::vector<std::string> sentences;
  std::set<std::pair<int, std::string>> lost;
  for (const PackTrouble& trouble : check_packs(path, records)) {
    sentences.push_back(trouble.name + " " + pack_sentence(trouble));
    lost.insert(trouble.fields.begin(), trouble.fields.end());
  }
  if (lost.empty()) return sentences;
  for (RankRecord& record : records) {
    for (StateEntry& entry : record.tree.entries()) {
      if (lost.contains({record.rank, entry.field.path.text()})) entry.bytes = nullptr;
    }
  }
  return sentences;
}

std::vector<Finding> run_damage(const std::string& path, const std::vector<RankRecord>& records,
                                Coverage& coverage) {
  std::set<int> ranks;
  for (const RankRecord& record : records) {
    if (record.capture) ranks.insert(record.rank);
  }
  std::vector<Finding> findings;
  for (const LogTrouble& trouble : check_logs(path, ranks)) {
    if (trouble.harmless) {
      coverage.not_compared.emplace_back(trouble.name, trouble.message);
      continue;
    }
    findings.push_back(damage_finding(trouble.name, to_string(trouble.trouble), trouble.message));
    findings.back().evidence.emplace_back(
        "the captures do not need it; gate and audit judge by it which fields moved");
  }
  const auto others = other_captures(path, records);
  if (!others.incomplete.empty())
    coverage.not_compared.emplace_back(
        captures_text(others.incomplete),
        "incomplete: a rank was killed before it had recorded its part, or still writes");
  if (!others.complete.empty() && !records.empty())
    coverage.not_compared.emplace_back(
        captures_text(others.complete),
        "only the latest was read; `" +
            shell_text({"samestep", "verify",
                        path + "/.samestep/captures/" + std::to_string(*others.complete.begin())}) +
            "` reads another");
  return findings;
}

}  // namespace samestep
