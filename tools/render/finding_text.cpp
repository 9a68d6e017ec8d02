#include "tools/render/finding_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "resume_check/grade.h"
#include "schemas/error.h"
#include "schemas/value.h"
#include "tools/render/text_parts.h"

namespace samestep {
namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;

// What a verb calls the sides of a finding; null for one that it does not ask for.
struct SideNames {
  const char *captured, *checkpointed, *restored;
};

SideNames names_for(std::string_view verb) {
  if (verb == "diff") return {"first", nullptr, "second"};
  if (verb == "gate") return {"captured", "checkpointed", nullptr};
  if (verb == "verify") return {nullptr, nullptr, nullptr};
  return {"captured", "checkpointed", "restored"};
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

/// Both values stand above it: the bytes of their canonical form tell nobody more.
bool says_it_all(const Finding& finding) {
  if (is_next_batch(FieldPath(finding.field))) return true;
  const auto plain = [](const Side& side) {
    return side.value && side.dtype.empty() && !std::holds_alternative<std::string>(*side.value) &&
           !std::holds_alternative<Numbers>(*side.value) &&
           !std::holds_alternative<Bytes>(*side.value);
  };
  return plain(finding.captured) && plain(finding.restored);
}

}  // namespace

std::string group_title(const FindingGroup& group, bool with_ranks) {
  std::string notes;
  if (group.fields > 1) notes = count_text(group.fields, "field");
  if (with_ranks) notes += (notes.empty() ? "" : ", ") + ranks_text(group.ranks);
  return printable(group.name, 300) + (notes.empty() ? "" : "  (" + notes + ")");
}

namespace {

std::string in_diff(const Finding& finding) {
  if (finding.kind == FindingKind::breach && !finding.marks.empty()) return joined(finding.marks);
  if (finding.captured.present != finding.restored.present)
    return finding.captured.present ? "only in the first" : "only in the second";
  const bool same_value = std::ranges::count(finding.marks, "representation") > 0;
  return same_value ? "the same value, written in another way" : "differs";
}

/// What a gate tolerates is told in words that no refusal uses.
std::string in_gate(const Finding& finding) {
  const bool is_missing = *finding.fate == Fate::missing;
  if (finding.grade == Grade::warning)
    return is_missing ? "tolerated: not in the checkpoint"
                      : "tolerated: another value in the checkpoint";
  return is_missing ? "missing: not in the checkpoint"
                    : fmt::format("{}: {}", to_string(*finding.fate), describe(*finding.fate));
}

}  // namespace

std::string grade_title(const Report& report, Grade grade) {
  const bool is_confirmed = grade == Grade::confirmed;
  if (report.verb == "gate") return is_confirmed ? "Refused" : "Tolerated";
  if (is_confirmed) return "Confirmed";
  // Damage explains what differs; all else that a diff warns of differs and does not count.
  const bool is_plain_diff =
      report.verb == "diff" && std::ranges::none_of(report.findings, [](const Finding& finding) {
        return finding.grade == Grade::warning && finding.kind == FindingKind::breach;
      });
  return is_plain_diff ? "Not counted" : "Warnings";
}

std::string what_happened(const Finding& finding, std::string_view verb) {
  if (verb == "diff") return in_diff(finding);
  if (verb == "verify" && !finding.marks.empty()) return joined(finding.marks);
  if (!finding.fate) return std::string(to_string(finding.kind));
  if (is_next_batch(FieldPath(finding.field)))
    return fmt::format("{}: the resumed run trains on another batch next",
                       to_string(*finding.fate));
  if (verb == "gate") return in_gate(finding);
  return fmt::format("{}: {}", to_string(*finding.fate), describe(*finding.fate));
}

std::string side_text(const Side& side) {
  if (!side.present) return "absent";
  std::string text;
  if (side.value) text = display(*side.value);
  if (!side.dtype.empty()) {
    text += (text.empty() ? "" : "  ") + tensor_text(side.dtype, side.shape);
  }
  if (!side.value && side.digest)
    text += (text.empty() ? "" : "  ") + digest_text(side.digest->hex());
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

Rows finding_rows(const Finding& finding, std::string_view verb) {
  Rows rows;
  const SideNames names = names_for(verb);
  const bool is_batch = is_next_batch(FieldPath(finding.field));
  const auto add_side = [&](const char* name, const Side& side) {
    if (name == nullptr || (is_batch && !side.present)) return;
    const auto* digest = is_batch && side.value ? std::get_if<std::string>(&*side.value) : nullptr;
    rows.emplace_back(name,
                      digest ? "a batch with the digest " + digest_text(*digest) : side_text(side));
  };
  if (finding.captured.present || finding.checkpointed.present || finding.restored.present ||
      finding.fate) {
    add_side(names.captured, finding.captured);
    add_side(names.checkpointed, finding.checkpointed);
    if (finding.loaded) add_side("after load", *finding.loaded);
    add_side(names.restored, finding.restored);
  }
  if (finding.difference && !says_it_all(finding))
    rows.emplace_back("difference", difference_text(*finding.difference));
  if (finding.where) rows.emplace_back("where", printable(finding.where->text()));
  if (!finding.marks.empty() && verb != "verify") rows.emplace_back("marks", joined(finding.marks));
  for (const std::string& sentence : finding.evidence) {
    rows.emplace_back("evidence", printable(sentence, 1000));
  }
  if (!finding.next.empty()) rows.emplace_back("next", printable(finding.next, 2000));
  return rows;
}

}  // namespace samestep
