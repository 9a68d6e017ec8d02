#include "resume_check/torch/twin_text.h"

#include <algorithm>

#include "schemas/count_text.h"
#include "schemas/error.h"
#include "schemas/value.h"

namespace samestep::libtorch {
namespace {

constexpr std::size_t kShownMax = 20, kDigitsShown = 16;

std::string shape_text(const Side& side) {
  std::string text = side.dtype + " [";
  for (std::size_t i = 0; i < side.shape.size(); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(side.shape[i]);
  return text + "]";
}

std::string side_text(const Side& side) {
  if (!side.present) return "absent";
  std::string text = side.value ? display(*side.value) : "";
  if (!side.dtype.empty()) text += (text.empty() ? "" : "  ") + shape_text(side);
  if (!side.value && side.digest) text += "  " + side.digest->hex().substr(0, kDigitsShown);
  if (!side.source.empty()) text += "  in " + side.source;
  return printable(text, 300);
}

std::string line(const char* label, const std::string& text) {
  return std::string("  ") + label + std::string(14 - std::string_view(label).size(), ' ') +
         printable(text, 1000) + "\n";
}

std::string difference_text(const Difference& difference) {
  return std::to_string(difference.elements) + " of " +
         count_text(difference.elements_total, "element") + ", the first at index " +
         std::to_string(difference.first_index) + ": " + difference.source_value + " against " +
         difference.target_value;
}

std::string finding_text(const Finding& finding) {
  std::string text = printable(finding.field, 300) + ": ";
  text += finding.fate
              ? std::string(to_string(*finding.fate)) + ", " + std::string(describe(*finding.fate))
              : std::string(to_string(finding.kind));
  text += "\n";
  if (finding.fate) {
    text += line("uninterrupted", side_text(finding.captured));
    text += line("checkpoint", side_text(finding.checkpointed));
    if (finding.loaded) text += line("after load", side_text(*finding.loaded));
    text += line("resumed", side_text(finding.restored));
  }
  if (finding.difference) text += line("difference", difference_text(*finding.difference));
  for (const std::string& sentence : finding.evidence) text += line("evidence", sentence);
  if (!finding.next.empty()) text += line("next", finding.next);
  return text;
}

std::string findings_text(const Report& report, Grade grade, const char* title) {
  std::vector<const Finding*> found;
  for (const Finding& finding : report.findings)
    if (finding.grade == grade) found.push_back(&finding);
  if (found.empty()) return {};
  std::string text = std::string(title) + "\n";
  for (std::size_t i = 0; i < std::min(found.size(), kShownMax); ++i)
    text += grade == Grade::confirmed
                ? finding_text(*found[i])
                : "  " + printable(found[i]->field, 300) + ": " +
                      std::string(found[i]->fate ? to_string(*found[i]->fate) : "") + "\n";
  if (found.size() > kShownMax)
    text += "and " + std::to_string(found.size() - kShownMax) + " more\n";
  return text + "\n";
}

std::string place_text(const Boundary& where, const std::string& name, std::uint64_t folded) {
  std::string text = where.text();
  if (name != where.phase) text += ": " + name;
  if (folded > 0) text += " (and " + std::to_string(folded) + " more)";
  return printable(text, 500);
}

std::string partings_text(const Twin& twin) {
  if (twin.mode == TwinMode::free_run) return {};
  std::string text = twin.mode == TwinMode::per_step
                         ? "with all watched state put back after each step, "
                         : "with what differs put back at each boundary, ";
  if (twin.partings.empty()) return text + "nothing differs\n";
  text += "these differ:\n";
  for (const Parting& parting : twin.partings)
    text += "  " + place_text(parting.where, parting.name, parting.folded) + "\n";
  return text;
}

std::string coverage_text(const Coverage& coverage) {
  std::string text = "compared: " + count_text(coverage.fields_compared, "field") + " (" +
                     std::to_string(coverage.fields_equal) + " equal), " +
                     count_text(static_cast<std::uint64_t>(coverage.steps_compared), "step") +
                     ", " + count_text(coverage.boundaries_compared, "boundary", "boundaries") +
                     "\n";
  for (const auto& [what, why] : coverage.not_compared)
    text += "  not compared: " + printable(std::string(what).append(": ").append(why), 1000) + "\n";
  for (const std::string& path : coverage.unwatched)
    text += "  in the checkpoint, not watched: " + printable(path, 300) + "\n";
  for (const auto& [rule, count] : coverage.ignored)
    text += "  ignored: " + count_text(count, "field") + ": " + rule + "\n";
  return text;
}

}  // namespace

std::string twin_text(const Twin& twin) {
  const Report& report = twin.report;
  std::string text = findings_text(report, Grade::confirmed, "findings");
  text += findings_text(report, Grade::warning, "warnings");
  if (report.divergence)
    text +=
        "first divergence: " +
        place_text(report.divergence->first, report.divergence->name, report.divergence->folded) +
        "; the same before it: " +
        count_text(static_cast<std::uint64_t>(report.divergence->certified_steps), "step") + ", " +
        count_text(report.divergence->certified_boundaries, "boundary", "boundaries") + "\n";
  text += partings_text(twin);
  for (const CauseEntry& entry : report.cause)
    text += "cause: " + printable(entry.field + ": " + entry.proof, 500) + "\n";
  text += coverage_text(report.coverage);
  return text + "verdict: " + std::string(to_string(report.verdict)) + ": " +
         printable(report.reason, 1000) + "\n";
}

std::ostream& operator<<(std::ostream& stream, const Twin& twin) {
  return stream << twin_text(twin);
}

}  // namespace samestep::libtorch
