#include "tools/reports.h"

#include <CLI/CLI.hpp>
#include <filesystem>

#include "schemas/error.h"
#include "schemas/json/report_json.h"
#include "tools/option_checks.h"
#include "tools/output.h"
#include "tools/render/report_html.h"
#include "tools/render/report_junit.h"
#include "tools/render/report_text.h"

namespace samestep {
namespace {

bool is_same_file(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return false;
  std::error_code error;
  return std::filesystem::weakly_canonical(a, error) == std::filesystem::weakly_canonical(b, error);
}

}  // namespace

void refuse_unwritable(const ReportOptions& options) {
  for (const std::string& path : {options.html, options.junit}) {
    if (path.empty()) continue;
    refuse_unwritable(path);
    refuse_overwriting(path);
  }
  if (is_same_file(options.html, options.junit)) {
    throw Error(ErrorCode::usage, "--html and --junit name the same file", options.html,
                "give each a name of its own");
  }
}

void add_report_options(CLI::App& verb, ReportOptions& options) {
  verb.add_flag("--json", options.json, "Print one JSON document (samestep schema report.v1)");
  verb.add_flag("--all", options.all, "Show each finding by itself, none folded");
  verb.add_option("--html", options.html, "Also write the report as a web page")
      ->type_name("FILE")
      ->check(some_text("--html", "name a file, or leave --html out"));
  verb.add_option("--junit", options.junit, "Also write the report as JUnit XML, for CI")
      ->type_name("FILE")
      ->check(some_text("--junit", "name a file, or leave --junit out"));
}

Result deliver(const Report& report, const ReportOptions& options, const Screen& screen) {
  Result result;
  result.verdict = report.verdict;
  result.output = options.json ? report_to_json(report) : report_text(report, screen, options.all);
  const auto write = [&result](const std::string& path, const auto& text_of) {
    try {
      if (!path.empty()) write_file(path, text_of());
    } catch (const Error& error) {
      if (!result.trouble) result.trouble = error;
    }
  };
  write(options.html, [&] { return report_html(report); });
  write(options.junit, [&] { return report_junit(report); });
  return result;
}

}  // namespace samestep
