// Scalars: the one element of a one-element tensor, as a value.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "checkpoint/field_bytes.h"
#include "schemas/field.h"

namespace samestep {

/// Decodes a tensor of exactly one element of bool, an integer or a floating type up to float64
/// (float8_* too).
/// Nothing for another tensor, and for bytes that cannot be read (`verify` says why).
std::optional<Value> scalar_value(Dtype dtype, const std::vector<std::int64_t>& shape,
                                  const FieldBytes& bytes);
/// The integer that `value` is, be it an int, a bool no, or a float without a fraction.
std::optional<std::int64_t> integer_of(const Value& value);
/// Of a field: its value, or of a one-element tensor the decoded one.
std::optional<std::int64_t> integer_of(const Field& field);

}  // namespace samestep
