// Boundary: where in a run. Phases are text because modules and parameters have names.
#pragma once

#include <cstdint>
#include <string>

namespace samestep {

/// `step` is the number of the step that is being made: begin of step k+1 follows k completed
/// optimizer steps. `phase`: "begin", "batch", "forward:<module>", "loss", "grad:<parameter>",
/// "optimizer", "end", "op:<n>".
struct Boundary {
  int rank = 0;
  std::int64_t step = 0;
  std::string phase = "begin";
  bool operator==(const Boundary&) const = default;
  /// "step 1201, forward:layers.0.dropout" (with "rank 3, " before it when `with_rank`).
  std::string text(bool with_rank = false) const;
};

}  // namespace samestep
