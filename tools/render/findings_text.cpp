#include "tools/render/findings_text.h"

#include <fmt/format.h>

#include <set>

#include "schemas/error.h"
#include "tools/render/finding_text.h"
#include "tools/render/text_parts.h"

namespace samestep {
namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;
constexpr std::size_t kNamesShown = 3;
constexpr std::size_t kConfirmedShown = 20, kWarningsShown = 10;
constexpr std::size_t kLabelWidth = 12;

std::vector<Finding> of_grade(const Report& report, Grade grade) {
  std::vector<Finding> chosen;
  for (const Finding& finding : report.findings) {
    if (finding.grade == grade) chosen.push_back(finding);
  }
  return chosen;
}

std::string names_text(const FindingGroup& group) {
  std::string text;
  std::set<std::string> shown;
  for (const Finding* finding : group.findings) {
    if (shown.size() == kNamesShown) break;
    if (!shown.insert(finding->field).second) continue;
    text += (text.empty() ? "" : ", ") + printable(finding->field);
  }
  if (group.fields > shown.size()) {
    text += fmt::format(", and {} more (--all shows each)", group.fields - shown.size());
  }
  return text;
}

std::string row_text(const std::string& label, const std::string& content, const Screen& screen) {
  const std::size_t padding = label.size() < kLabelWidth ? kLabelWidth - label.size() : 0;
  return fmt::format("     {}{} {}\n", screen.paint(label, Screen::Ink::dim),
                     std::string(padding, ' '), content);
}

// Title and what happened: the first two lines of each paragraph.
std::string head_text(const Report& report, const FindingGroup& group, std::size_t number,
                      const Screen& screen) {
  const Finding& finding = *group.findings.front();
  const auto ink = finding.grade == Grade::confirmed ? Screen::Ink::red : Screen::Ink::yellow;
  const std::string title = group_title(group, report.coverage.ranks_expected > 1);
  return fmt::format("{:>3}. {}\n     {}\n", number, screen.paint(title, Screen::Ink::bold),
                     screen.paint(what_happened(finding, report.verb), ink));
}

std::string full_text(const Report& report, const FindingGroup& group, std::size_t number,
                      const Screen& screen) {
  const Finding& finding = *group.findings.front();
  std::string text = head_text(report, group, number, screen);
  if (group.fields > 1) {
    text += row_text("fields", names_text(group), screen);
    text += row_text("for example", printable(finding.field, 300), screen);
  }
  for (const auto& [label, content] : finding_rows(finding, report.verb)) {
    text += row_text(label, content, screen);
  }
  return text;
}

// The sides on one line, and the first sentence of evidence.
std::string short_text(const Report& report, const FindingGroup& group, std::size_t number,
                       const Screen& screen) {
  std::string sides, evidence;
  for (const auto& [label, content] : finding_rows(*group.findings.front(), report.verb)) {
    if (label == "difference" || label == "where" || label == "marks" || label == "next") continue;
    if (label == "evidence") {
      if (evidence.empty()) evidence = "     " + content + "\n";
    } else {
      sides.append(sides.empty() ? "     " : "; ").append(label).append(" ").append(content);
    }
  }
  if (!sides.empty()) sides += '\n';
  return head_text(report, group, number, screen) + sides + evidence;
}

std::string title(const Report& report, Grade grade, const Screen& screen) {
  return "\n" + screen.paint(grade_title(report, grade), Screen::Ink::bold) + "\n";
}

// What the groups from `begin` on would have shown.
std::string rest_text(const std::vector<FindingGroup>& groups, std::size_t begin,
                      const std::string& noun) {
  std::uint64_t findings = 0;
  for (std::size_t i = begin; i < groups.size(); ++i) findings += groups[i].findings.size();
  return fmt::format("     and {} (--all shows each, --json holds all)\n",
                     count_text(findings, "more " + noun));
}

}  // namespace

std::string confirmed_text(const Report& report, const Screen& screen, bool all) {
  const auto findings = of_grade(report, Grade::confirmed);
  if (findings.empty()) return {};
  std::string text = title(report, Grade::confirmed, screen);
  const auto groups = fold(findings, all);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (!all && i == kConfirmedShown) {
      return text + rest_text(groups, i, "finding");
    }
    text += full_text(report, groups[i], i + 1, screen);
  }
  return text;
}

std::string warnings_text(const Report& report, const Screen& screen, bool all) {
  const auto findings = of_grade(report, Grade::warning);
  if (findings.empty()) return {};
  const auto groups = fold(findings, all);
  std::string text = title(report, Grade::warning, screen);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (all) {
      text += full_text(report, groups[i], i + 1, screen);
      continue;
    }
    if (i == kWarningsShown) {
      return text + rest_text(groups, i, report.verb == "audit" ? "warning" : "finding");
    }
    text += short_text(report, groups[i], i + 1, screen);
    const std::string& next = groups[i].findings.front()->next;
    const bool last = i + 1 == groups.size() || i + 1 == kWarningsShown;
    const bool repeated = !last && groups[i + 1].findings.front()->next == next;
    if (!next.empty() && !repeated) text += row_text("next", printable(next, 2000), screen);
  }
  return text;
}

}  // namespace samestep
