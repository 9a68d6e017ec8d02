#include "tools/render/report_junit.h"

#include <map>

#include "tools/render/finding_text.h"
#include "tools/render/xml.h"

namespace samestep {
namespace {

std::string paragraph(const Report& report, const Finding& finding) {
  const bool with_rank = report.coverage.ranks_expected > 1;
  std::string text = finding.field;
  if (with_rank) text += " (rank " + std::to_string(finding.rank) + ")";
  text += "\n" + what_happened(finding, report.verb) + "\n";
  for (const auto& [label, content] : finding_rows(finding, report.verb))
    text += label + ": " + content + "\n";
  return text;
}

struct Case {
  std::size_t confirmed = 0;
  std::string failure, output;
};

std::map<std::string, Case> cases_of(const Report& report) {
  std::map<std::string, Case> cases;
  for (const auto& [component, count] : report.coverage.by_component) cases[component];
  for (const Finding& finding : report.findings) {
    Case& entry = cases[finding.component.empty() ? "steps" : finding.component];
    const bool confirmed = finding.grade == Grade::confirmed;
    entry.confirmed += confirmed ? 1 : 0;
    std::string& text = confirmed ? entry.failure : entry.output;
    text += (text.empty() ? "" : "\n") + paragraph(report, finding);
  }
  return cases;
}

pugi::xml_node add_case(pugi::xml_node suite, const Report& report, const std::string& name) {
  pugi::xml_node node = suite.append_child("testcase");
  set_attribute(node, "classname", "samestep." + report.verb);
  set_attribute(node, "name", name);
  return node;
}

void add_verdict(pugi::xml_node suite, const Report& report) {
  pugi::xml_node node = add_case(suite, report, "verdict");
  if (report.verdict == Verdict::same) return;
  const bool failed = report.verdict == Verdict::diverged;
  pugi::xml_node outcome = add_element(node, failed ? "failure" : "error", report.reason);
  set_attribute(outcome, "message", std::string(to_string(report.verdict)));
  set_attribute(outcome, "type", std::string(to_string(report.verdict)));
}

}  // namespace

std::string report_junit(const Report& report) {
  const auto cases = cases_of(report);
  std::size_t failures = report.verdict == Verdict::diverged ? 1 : 0;
  for (const auto& [name, entry] : cases) failures += entry.confirmed > 0 ? 1 : 0;

  pugi::xml_document document;
  pugi::xml_node root = document.append_child("testsuites");
  pugi::xml_node suite = root.append_child("testsuite");
  set_attribute(suite, "name", "samestep " + report.verb);
  set_attribute(suite, "tests", std::to_string(cases.size() + 1));
  set_attribute(suite, "failures", std::to_string(failures));
  set_attribute(suite, "errors", report.verdict == Verdict::undecided ? "1" : "0");
  add_verdict(suite, report);
  for (const auto& [name, entry] : cases) {
    pugi::xml_node node = add_case(suite, report, name);
    if (entry.confirmed > 0) {
      pugi::xml_node failure = add_element(node, "failure", entry.failure);
      set_attribute(failure, "message",
                    std::to_string(entry.confirmed) +
                        " confirmed, first: " + entry.failure.substr(0, entry.failure.find('\n')));
      set_attribute(failure, "type", "confirmed");
    }
    if (!entry.output.empty()) add_element(node, "system-out", entry.output);
  }
  return xml_text(document);
}

}  // namespace samestep
