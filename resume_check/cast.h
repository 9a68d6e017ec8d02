// Cast: was a tensor changed only by a conversion between floating dtypes?
#pragma once

#include <cstddef>
#include <optional>

#include "checkpoint/state_tree.h"

namespace samestep {

/// The number at `at` for float16, bfloat16, float32 and float64; nothing for other dtypes.
std::optional<double> real_element(Dtype dtype, const std::byte* at) noexcept;
/// Stores `value` as `dtype` (round to nearest, ties to even, as PyTorch converts). False for other
/// dtypes.
bool store_real(Dtype dtype, double value, std::byte* at) noexcept;

/// True when `target` is `source` after a conversion to a narrower dtype: either target has that
/// dtype, or it was converted back. `through` is then that dtype. False when the bytes are equal,
/// were not kept, or nothing but zeros is left.
std::optional<Dtype> cast_between(const StateEntry& source, const StateEntry& target);

/// True when `target` holds the same numbers in a wider floating dtype: nothing was lost.
bool equal_when_widened(const StateEntry& source, const StateEntry& target);

}  // namespace samestep
