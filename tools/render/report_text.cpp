#include "tools/render/report_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "schemas/error.h"
#include "tools/render/findings_text.h"
#include "tools/render/operator_text.h"
#include "tools/render/text_parts.h"

namespace samestep {
namespace {

constexpr std::size_t kListMax = 8;

std::string title(const std::string& text, const Screen& screen) {
  return "\n" + screen.paint(text, Screen::Ink::bold) + "\n";
}

std::string divergence_text(const Report& report, const Screen& screen) {
  if (!report.divergence) return {};
  const DivergenceReport& divergence = *report.divergence;
  const bool ranks = report.coverage.ranks_expected > 1;
  std::string text = title("First divergence", screen);
  text += "  " + printable(divergence.first.text(ranks));
  if (divergence.name != divergence.first.phase) text += ": " + printable(divergence.name);
  text += "\n";
  text += fmt::format("  the same before it: {}, {}; later differences that follow from it: {}\n",
                      count_text(static_cast<std::uint64_t>(divergence.certified_steps), "step"),
                      count_text(divergence.certified_boundaries, "boundary", "boundaries"),
                      divergence.folded);
  if (divergence.op) text += two_columns(operator_rows(*divergence.op), screen);
  return text;
}

std::string cause_text(const Report& report, const Screen& screen) {
  if (report.cause.empty()) return {};
  std::vector<std::pair<std::string, std::string>> rows;
  for (const CauseEntry& entry : report.cause) {
    rows.emplace_back(printable(entry.field), printable(entry.proof, 500));
  }
  return title("Cause", screen) + two_columns(rows, screen);
}

// The first few of a list, and how many more there are.
template <typename List, typename Text>
std::string listed(const std::string& label, const List& list, Text text_of) {
  std::string text;
  std::size_t count = 0;
  for (const auto& entry : list) {
    if (count++ == kListMax) break;
    text += fmt::format("  {} {}\n", label, printable(text_of(entry), 500));
  }
  if (list.size() > kListMax) {
    text += fmt::format("  {} {} more (--json lists them)\n", label, list.size() - kListMax);
  }
  return text;
}

std::string coverage_text(const Report& report, const Screen& screen) {
  const Coverage& coverage = report.coverage;
  const CoverageWords words = coverage_words(report);
  std::string text = title(words.title, screen);
  text += fmt::format("  {} ({} {})", count_text(coverage.fields_compared, "field"),
                      coverage.fields_equal, words.equal);
  if (report.verb == "audit") {
    text += fmt::format(", {}, {}",
                        count_text(static_cast<std::uint64_t>(coverage.steps_compared), "step"),
                        count_text(coverage.boundaries_compared, "boundary", "boundaries"));
    if (!coverage.power) text += ", and the state did not move";
  }
  text += "\n";
  std::string parts;
  for (const auto& [component, count] : coverage.by_component) {
    parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", printable(component), count);
  }
  if (!parts.empty()) text += "  " + parts + "\n";
  if (coverage.ranks_expected > 1) {
    text += fmt::format("  {} of {} heard\n", ranks_text(coverage.ranks_heard),
                        coverage.ranks_expected);
  }
  text += listed(fmt::format("{}:", words.left_out), coverage.not_compared,
                 [](const auto& pair) { return pair.first + ": " + pair.second; });
  text += listed("in the file, not seen live:", fold_siblings(coverage.unwatched),
                 [](const std::string& path) { return path; });
  text += listed("ignored:", coverage.ignored, [](const auto& pair) {
    return count_text(pair.second, "field") + ": " + pair.first;
  });
  return text;
}

std::string legs_text(const Report& report, const Screen& screen) {
  if (report.legs.empty()) return {};
  std::string text = title("Legs", screen);
  std::size_t width = 0;
  for (const LegReport& leg : report.legs) width = std::max(width, leg.name.size());
  for (const LegReport& leg : report.legs) {
    text += fmt::format("  {:<{}}  {:>9}  {:>7.1f} s  exit {}  {}\n", printable(leg.name), width,
                        count_text(static_cast<std::uint64_t>(leg.steps), "step"), leg.seconds,
                        leg.exit_status, printable(leg.log, 500));
  }
  const auto work = report.host.find("work");
  if (work != report.host.end()) {
    text +=
        fmt::format("  kept in {}: remove it when you are done\n", printable(work->second, 500));
  }
  return text;
}

std::string verdict_text(const Report& report, const Screen& screen) {
  const Screen::Ink ink = report.verdict == Verdict::same       ? Screen::Ink::green
                          : report.verdict == Verdict::diverged ? Screen::Ink::red
                                                                : Screen::Ink::yellow;
  std::string text = screen.paint(verdict_word(report), ink);
  if (!report.reason.empty()) text += ": " + printable(report.reason, 1000);
  return "\nverdict: " + text + "\n";
}

}  // namespace

std::string report_text(const Report& report, const Screen& screen, bool all) {
  std::string text = confirmed_text(report, screen, all);
  text += warnings_text(report, screen, all);
  text += divergence_text(report, screen);
  text += cause_text(report, screen);
  text += coverage_text(report, screen);
  text += legs_text(report, screen);
  text += verdict_text(report, screen);
  text.erase(0, text.find_first_not_of('\n'));
  return text;
}

}  // namespace samestep
