// The first operator of a step at which two legs part.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "resume_check/op_records.h"
#include "schemas/report.h"

namespace samestep {

struct OpComparison {
  std::uint64_t compared = 0;  ///< operators that both legs ran
  std::optional<OperatorReport> first;
  std::uint64_t only_source = 0, only_target = 0;  ///< operators that only one leg ran
};

/// The first operator whose outputs differ, and whether its inputs were equal; where no outputs do,
/// the first that only one of the legs ran. `where` has its number in `source`, and neither rank
/// nor step. Inputs and outputs that could not be read are no difference; the evidence says which
/// ones of the operator that is named.
OpComparison compare_operators(const OpRecords& source, const OpRecords& target);

}  // namespace samestep
