// Element types by libtorch's numbering and by ours.
#pragma once

#include <c10/core/ScalarType.h>

#include <optional>

#include "schemas/dtype.h"

namespace samestep::libtorch {

/// Nothing for one that the other side does not know.
std::optional<Dtype> dtype_of(c10::ScalarType type) noexcept;
std::optional<c10::ScalarType> scalar_type_of(Dtype dtype) noexcept;

}  // namespace samestep::libtorch
