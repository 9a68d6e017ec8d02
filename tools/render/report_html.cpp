#include "tools/render/report_html.h"

#include <fmt/format.h>

#include "tools/render/finding_text.h"
#include "tools/render/operator_text.h"
#include "tools/render/text_parts.h"
#include "tools/render/xml.h"

namespace samestep {
namespace {

constexpr const char* kStyle =
    "body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:68rem;padding:0 1rem;"
    "color:#1b1f24;background:#fff}"
    "h1{font-size:1.3rem}h2{font-size:1.05rem;margin-top:2rem}"
    "code,.mono{font-family:ui-monospace,monospace;font-size:.92em;overflow-wrap:anywhere}"
    ".same{color:#116329}.diverged{color:#b42318}.undecided{color:#8a6100}"
    "section.finding{border-left:4px solid #8a6100;margin:1rem 0;padding:.2rem 1rem;"
    "background:#f6f8fa}section.confirmed{border-color:#b42318}"
    "table{border-collapse:collapse}td,th{padding:.15rem .8rem .15rem 0;vertical-align:top;"
    "text-align:left}th{font-weight:600;color:#57606a;white-space:nowrap}"
    "@media(prefers-color-scheme:dark){body{color:#e6edf3;background:#0d1117}"
    "section.finding{background:#161b22}.same{color:#56d364}.diverged{color:#ff7b72}"
    ".undecided{color:#e3b341}th{color:#9da7b3}}";

using Rows = std::vector<std::pair<std::string, std::string>>;

void add_rows(pugi::xml_node parent, const Rows& rows) {
  if (rows.empty()) return;
  pugi::xml_node table = add_element(parent, "table");
  for (const auto& [label, text] : rows) {
    pugi::xml_node row = add_element(table, "tr");
    add_element(row, "th", label);
    set_attribute(add_element(row, "td", text), "class", "mono");
  }
}

void add_group(pugi::xml_node body, const Report& report, const FindingGroup& group) {
  const bool with_ranks = report.coverage.ranks_expected > 1;
  const Finding& finding = *group.findings.front();
  pugi::xml_node section = add_element(body, "section");
  set_attribute(section, "class", "finding " + std::string(to_string(finding.grade)));
  add_element(add_element(section, "h3"), "code", group_title(group, with_ranks));
  add_element(section, "p", what_happened(finding, report.verb));
  add_rows(section, finding_rows(finding, report.verb));
  if (group.fields < 2) return;
  pugi::xml_node details = add_element(section, "details");
  add_element(details, "summary", "all " + count_text(group.fields, "field"));
  pugi::xml_node list = add_element(details, "ul");
  for (const Finding* one : group.findings) {
    const std::string rank = with_ranks ? fmt::format("  (rank {})", one->rank) : "";
    add_element(add_element(list, "li"), "code", one->field + rank);
  }
}

void add_findings(pugi::xml_node body, const Report& report, Grade grade) {
  std::vector<Finding> chosen;
  for (const Finding& finding : report.findings) {
    if (finding.grade == grade) chosen.push_back(finding);
  }
  if (chosen.empty()) return;
  add_element(body, "h2", grade_title(report, grade));
  for (const FindingGroup& group : fold(chosen, false)) {
    add_group(body, report, group);
  }
}

void add_steps(pugi::xml_node body, const Report& report) {
  if (report.divergence) {
    const DivergenceReport& divergence = *report.divergence;
    add_element(body, "h2", "First divergence");
    add_rows(body,
             {{"where", divergence.first.text(report.coverage.ranks_expected > 1)},
              {"what", divergence.name},
              {"same before it",
               count_text(static_cast<std::uint64_t>(divergence.certified_steps), "step") + ", " +
                   count_text(divergence.certified_boundaries, "boundary", "boundaries")},
              {"follow from it", std::to_string(divergence.folded)}});
    if (divergence.op) add_rows(body, operator_rows(*divergence.op));
  }
  if (report.cause.empty()) return;
  add_element(body, "h2", "Cause");
  Rows rows;
  for (const CauseEntry& entry : report.cause) rows.emplace_back(entry.field, entry.proof);
  add_rows(body, rows);
}

void add_coverage(pugi::xml_node body, const Report& report) {
  const Coverage& coverage = report.coverage;
  const CoverageWords words = coverage_words(report);
  add_element(body, "h2", words.title);
  Rows rows{{"fields", fmt::format("{} ({} {})", coverage.fields_compared, coverage.fields_equal,
                                   words.equal)},
            {"steps", std::to_string(coverage.steps_compared)},
            {"boundaries", std::to_string(coverage.boundaries_compared)},
            {"state moved", coverage.power ? "yes" : "no"},
            {"ranks heard",
             fmt::format("{} of {}", coverage.ranks_heard.size(), coverage.ranks_expected)}};
  for (const auto& [name, count] : coverage.by_component) {
    rows.emplace_back("component " + name, std::to_string(count));
  }
  for (const auto& [what, why] : coverage.not_compared) {
    rows.emplace_back(words.left_out, fmt::format("{}: {}", what, why));
  }
  for (const std::string& path : coverage.unwatched) rows.emplace_back("not seen live", path);
  for (const auto& [rule, count] : coverage.ignored) {
    rows.emplace_back("ignored", count_text(count, "field") + ": " + rule);
  }
  add_rows(body, rows);
}

void add_legs(pugi::xml_node body, const Report& report) {
  if (!report.legs.empty()) add_element(body, "h2", "Legs");
  Rows rows;
  for (const LegReport& leg : report.legs) {
    rows.emplace_back(leg.name,
                      fmt::format("{}, {:.1f} s, exit {}, {}",
                                  count_text(static_cast<std::uint64_t>(leg.steps), "step"),
                                  leg.seconds, leg.exit_status, leg.log));
  }
  add_rows(body, rows);
  if (report.contract.empty()) return;
  pugi::xml_node details = add_element(body, "details");
  add_element(details, "summary", "Contract: what else decides bits");
  add_rows(details, Rows(report.contract.begin(), report.contract.end()));
}

}  // namespace

std::string report_html(const Report& report) {
  pugi::xml_document document;
  document.append_child(pugi::node_doctype).set_value("html");
  pugi::xml_node html = document.append_child("html");
  set_attribute(html, "xmlns", "http://www.w3.org/1999/xhtml");
  set_attribute(html, "lang", "en");
  pugi::xml_node head = add_element(html, "head");
  set_attribute(add_element(head, "meta"), "charset", "utf-8");
  add_element(head, "title", "samestep " + report.verb + ": " + verdict_word(report));
  add_element(head, "style", kStyle);
  pugi::xml_node body = add_element(html, "body");
  pugi::xml_node title = add_element(body, "h1", "samestep " + report.verb + ": ");
  pugi::xml_node word = add_element(title, "span", verdict_word(report));
  set_attribute(word, "class", std::string(to_string(report.verdict)));
  add_element(body, "p", report.reason);
  add_findings(body, report, Grade::confirmed);
  add_findings(body, report, Grade::warning);
  add_steps(body, report);
  add_coverage(body, report);
  add_legs(body, report);
  add_rows(add_element(body, "footer"), Rows(report.host.begin(), report.host.end()));
  return xml_text(document);
}

}  // namespace samestep
