// A report as one web page that needs nothing else.
#pragma once

#include <string>

#include "schemas/report.h"

namespace samestep {

/// Well-formed XHTML with its style inside and no script.
std::string report_html(const Report& report);

}  // namespace samestep
