// Fingerprints of tensors and of parts of sharded ones (schemas/FINGERPRINT.md).
#pragma once

#include <cstdint>
#include <span>

#include "checkpoint/field_bytes.h"
#include "schemas/digest.h"
#include "schemas/fingerprint.h"

namespace samestep {

/// Of a whole tensor. Many bytes in one piece of memory are shared among threads (crew.h).
Fingerprint fingerprint_of(const FieldBytes& bytes, Dtype dtype,
                           std::span<const std::int64_t> shape);

/// Of a part that is a block of a larger tensor: `shape` is the part's, its element [0, ..., 0] is
/// element `offsets` of the tensor of shape `whole`. Rows, columns and tiles are such blocks.
/// Throws Error{corrupt} when the block does not lie in the whole.
Fingerprint fingerprint_of_block(const FieldBytes& bytes, Dtype dtype,
                                 std::span<const std::int64_t> shape,
                                 std::span<const std::int64_t> offsets,
                                 std::span<const std::int64_t> whole);

/// Of `elements` elements that are consecutive in the row-major order of the whole tensor, from
/// element `first` on: what a fully sharded rank holds of a tensor (padding left out by the
/// caller).
Fingerprint fingerprint_of_range(const FieldBytes& bytes, Dtype dtype, std::uint64_t elements,
                                 std::uint64_t first);

/// The sum with dtype and shape of the whole tensor, for comparisons where these may differ.
Digest bound(const Fingerprint& sum, Dtype dtype, std::span<const std::int64_t> whole);

}  // namespace samestep
