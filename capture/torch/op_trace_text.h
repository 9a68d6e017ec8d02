// The record of a trace as text.
#pragma once

#include <cstddef>
#include <string>

namespace samestep::libtorch {

struct TraceShared;

/// A JSON object with some hundred operators from `taken` on, in order of their numbers, and moves
/// `taken` behind them; empty at the end. The first one is there even where there is no operator.
/// The trace has ended.
std::string next_part(TraceShared& trace, std::size_t& taken);

}  // namespace samestep::libtorch
