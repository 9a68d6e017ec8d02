#include "tools/render/fold.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "schemas/count_text.h"
#include "schemas/field_path.h"

namespace samestep {
namespace {

// What must be equal in the fields of one group: the field itself, or its pattern.
std::string pattern_of(const Finding& finding) {
  const FieldPath path(finding.field);
  const auto parts = path.parts();
  if (finding.kind != FindingKind::gap && finding.kind != FindingKind::divergence) {
    return finding.field;
  }
  if (parts.size() == 4 && parts[1] == "state") {
    return escape_part(parts[0]) + "/state/*/" + escape_part(parts[3]);
  }
  if (parts.size() == 2 && (finding.role == Role::parameter || finding.role == Role::buffer ||
                            finding.role == Role::gradient || finding.role == Role::average)) {
    return escape_part(parts[0]) + "/*";
  }
  if (parts.size() == 2 && path.component_kind() == "model") {  // an attribute of a module
    const std::size_t dot = parts[1].rfind('.');
    if (dot != std::string::npos)
      return escape_part(parts[0]) + "/*" + escape_part(parts[1].substr(dot));
  }
  if (parts.size() >= 2 && path.component_kind() == "rng") {  // a stream and what goes with it
    return escape_part(parts[0]) + "/" + escape_part(parts[1]);
  }
  return finding.field;
}

using Key = std::tuple<FindingKind, Grade, std::optional<Fate>, std::string, Role,
                       std::vector<std::string>, std::string>;

}  // namespace

std::vector<FindingGroup> fold(const std::vector<Finding>& findings, bool apart) {
  std::vector<FindingGroup> groups;
  std::map<Key, std::size_t> known;
  for (const Finding& finding : findings) {
    const std::string pattern = apart ? finding.field : pattern_of(finding);
    const Key key{finding.kind, finding.grade, finding.fate, finding.component,
                  finding.role, finding.marks, pattern};
    const auto [place, is_new] = known.emplace(key, groups.size());
    if (is_new) groups.push_back({pattern, {}, {}, 0});
    groups[place->second].findings.push_back(&finding);
  }
  for (FindingGroup& group : groups) {
    std::set<int> ranks;
    std::set<std::string> fields;
    for (const Finding* finding : group.findings) {
      ranks.insert(finding->rank);
      fields.insert(finding->field);
    }
    group.ranks.assign(ranks.begin(), ranks.end());
    group.fields = fields.size();
    if (group.fields == 1) group.name = group.findings.front()->field;
  }
  return groups;
}

std::vector<std::string> fold_siblings(const std::vector<std::string>& paths) {
  constexpr std::size_t kFew = 3;
  const auto parent = [](const std::string& path) { return path.substr(0, path.rfind('/') + 1); };
  std::map<std::string, std::size_t> counts;
  for (const std::string& path : paths) ++counts[parent(path)];
  std::vector<std::string> folded;
  std::set<std::string> done;
  for (const std::string& path : paths) {
    const std::string folder = parent(path);
    if (folder.empty() || counts[folder] < kFew) {
      folded.push_back(path);
    } else if (done.insert(folder).second) {
      folded.push_back(folder + "*  (" + count_text(counts[folder], "field") + ")");
    }
  }
  return folded;
}

std::string ranks_text(const std::vector<int>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    text += (text.empty() ? "" : ", ") + std::to_string(ranks[i]);
    if (last > i) text += "-" + std::to_string(ranks[last]);
    i = last + 1;
  }
  return (ranks.size() == 1 ? "rank " : "ranks ") + text;
}

}  // namespace samestep
