// Locate: where two byte strings of one field differ.
#pragma once

#include <optional>

#include "checkpoint/state_tree.h"
#include "schemas/report.h"

namespace samestep {

/// First and last differing byte, differing elements, position, both values and the largest ULP
/// distance. Absent when either side's bytes were not kept, dtype or shape differ, or the bytes are
/// equal. Streams both sides once.
std::optional<Difference> locate(const StateEntry& source, const StateEntry& target);

/// Row-major position of element `index`.
std::vector<std::int64_t> position_of(std::uint64_t index, const std::vector<std::int64_t>& shape);

/// Distance in representable numbers; absent for types that have none, and when either is NaN.
std::optional<std::uint64_t> ulp_distance(Dtype dtype, const std::byte* a, const std::byte* b);

/// Exact text of one element ("-0.00123", "7", "0x1f" for opaque bytes).
std::string element_text(Dtype dtype, const std::byte* at);

}  // namespace samestep
