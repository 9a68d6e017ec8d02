// The ways in which a report leaves the program: text or JSON as the result, HTML and JUnit as
// files beside it.
#pragma once

#include <string>

#include "tools/verb.h"

namespace samestep {

struct ReportOptions {
  bool json = false, all = false;
  std::string html, junit;
};

/// Adds --json, --all, --html and --junit; `options` must outlive the parsing.
void add_report_options(CLI::App& verb, ReportOptions& options);

/// Asked before the work begins, so that hours of legs are not lost to a mistyped name. Throws
/// Error{unreadable} when the folder of --html or --junit is not there or not writable.
void refuse_unwritable(const ReportOptions& options);

/// Writes the files that are asked for, and gives the text or JSON with the report's verdict. A
/// file that cannot be written is the result's trouble: it takes neither the other file nor the
/// text with it, which may be of hours of legs.
Result deliver(const Report& report, const ReportOptions& options, const Screen& screen);

}  // namespace samestep
