#include "tools/render/finding_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "schemas/error.h"
#include "schemas/value.h"
#include "tools/render/text_parts.h"

namespace samestep {
namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;
constexpr std::size_t kNamesShown = 3;

std::string others_text(const FindingGroup& group) {
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

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

std::string group_title(const FindingGroup& group, bool with_ranks) {
  std::string notes;
  if (group.fields > 1) notes = count_text(group.fields, "field");
  if (with_ranks) notes += (notes.empty() ? "" : ", ") + ranks_text(group.ranks);
  return printable(group.name, 300) + (notes.empty() ? "" : "  (" + notes + ")");
}

std::string what_happened(const Finding& finding) {
  if (!finding.fate) return std::string(to_string(finding.kind));
  return fmt::format("{}: {}", to_string(*finding.fate), describe(*finding.fate));
}

std::string side_text(const Side& side) {
  if (!side.present) return "absent";
  std::string text;
  if (side.value) text = display(*side.value);
  if (!side.dtype.empty()) {
    text += (text.empty() ? "" : "  ") + tensor_text(side.dtype, side.shape);
  }
  if (!side.value && side.digest) text += (text.empty() ? "" : "  ") + side.digest->hex();
  if (text.empty()) text = "present";
  if (!side.source.empty()) text += "  in " + printable(side.source);
  return text;
}

std::string difference_text(const Difference& difference) {
  std::string text =
      fmt::format("bytes {}-{}; {} of {}", difference.first_byte, difference.last_byte,
                  difference.elements, count_text(difference.elements_total, "element"));
  text +=
      fmt::format(", the first at [{}]: {} against {}", fmt::join(difference.first_position, ", "),
                  printable(difference.source_value, 60), printable(difference.target_value, 60));
  if (difference.ulp_max) text += fmt::format("; at most {} ULP apart", *difference.ulp_max);
  return text;
}

Rows finding_rows(const Finding& finding) {
  Rows rows;
  const bool any = finding.captured.present || finding.checkpointed.present ||
                   finding.restored.present || finding.fate.has_value();
  if (any) {
    rows.emplace_back("captured", side_text(finding.captured));
    rows.emplace_back("checkpointed", side_text(finding.checkpointed));
    if (finding.loaded) rows.emplace_back("after load", side_text(*finding.loaded));
    rows.emplace_back("restored", side_text(finding.restored));
  }
  if (finding.difference) rows.emplace_back("difference", difference_text(*finding.difference));
  if (finding.where) rows.emplace_back("where", printable(finding.where->text()));
  if (!finding.marks.empty()) rows.emplace_back("marks", joined(finding.marks));
  for (const std::string& sentence : finding.evidence) {
    rows.emplace_back("evidence", printable(sentence, 1000));
  }
  if (!finding.next.empty()) rows.emplace_back("next", printable(finding.next, 2000));
  return rows;
}

std::string group_text(const FindingGroup& group, std::size_t number, bool with_ranks,
                       const Screen& screen) {
  const Finding& finding = *group.findings.front();
  const Screen::Ink ink =
      finding.grade == Grade::confirmed ? Screen::Ink::red : Screen::Ink::yellow;
  std::string text = fmt::format("{:>3}. {}\n     {}\n", number,
                                 screen.paint(group_title(group, with_ranks), Screen::Ink::bold),
                                 screen.paint(what_happened(finding), ink));
  Rows rows = finding_rows(finding);
  if (group.fields > 1) rows.insert(rows.begin(), {"fields", others_text(group)});
  if (group.findings.size() > 1) rows.insert(rows.begin() + 1, {"for example", finding.field});
  for (const auto& [label, content] : rows) {
    text += fmt::format("     {}{} {}\n", screen.paint(label, Screen::Ink::dim),
                        std::string(label.size() < 12 ? 12 - label.size() : 0, ' '), content);
  }
  return text;
}

}  // namespace samestep
