// Numbers: what a field says, apart from how it is represented (a step kept as int, as float, as
// 0-d tensor).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "checkpoint/state_tree.h"

namespace samestep {

/// All canonical bytes of an entry. Empty when they were not kept or are more than `bytes_max`.
/// Throws what FieldBytes::stream throws.
std::vector<std::byte> read_all(const StateEntry& entry, std::uint64_t bytes_max = ~0ull);

/// The single number that a field holds: int, float or bool value, or a tensor of one real element.
/// `exact` keeps integers beyond 2^53 apart.
struct Number {
  double real = 0;
  std::optional<std::int64_t> exact;
};
std::optional<Number> number_of(const StateEntry& entry);
/// One element of a real tensor; nothing for complex, quantised and opaque dtypes.
std::optional<Number> element_number(Dtype dtype, const std::byte* at) noexcept;

/// The numbers of a list, a tensor or a single value of at most 64 KiB; nothing for anything else.
std::optional<std::vector<Number>> numbers_of(const StateEntry& entry);

/// True for a uint8 tensor and for bytes: what a generator's state is kept as.
bool is_octets(const StateEntry& entry);
/// Their bytes; empty when they are none, were not kept, or are more than `bytes_max`.
std::vector<std::byte> octets_of(const StateEntry& entry, std::uint64_t bytes_max = ~0ull);

/// Equal in value although the digests differ: numbers of equal value in another dtype or shape, a
/// list against a tensor of the same numbers, bytes against a uint8 tensor, elements of the same
/// dtype under another shape. Floats of different width are never equal here unless both are
/// exactly the same number; that is what a cast is for.
bool equal_in_value(const StateEntry& source, const StateEntry& target);

}  // namespace samestep
