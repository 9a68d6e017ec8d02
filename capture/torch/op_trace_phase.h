// OpPhase: what an operator was called for.
#pragma once

namespace samestep::libtorch {

/// The numbers are those of the C interface (op_trace_abi.h).
enum class OpPhase : unsigned char {
  forward = 0,
  backward = 1,
  optimizer = 2,
  between = 3,  ///< none of the three: clipping, schedules, averages, the next batch
};

const char* to_string(OpPhase phase) noexcept;

}  // namespace samestep::libtorch
