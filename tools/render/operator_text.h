// The first operator at which two legs part, as rows for a person.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "schemas/report.h"

namespace samestep {

std::vector<std::pair<std::string, std::string>> operator_rows(const OperatorReport& op);

}  // namespace samestep
