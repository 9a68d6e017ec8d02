// Digests of many fields at once: work is spread over threads by bytes, not by fields.
#pragma once

#include <span>
#include <vector>

#include "checkpoint/field_bytes.h"
#include "schemas/digest.h"

namespace samestep {

/// A field whose digest is wanted. Nothing is owned: memory, `bytes` and `shape` outlive the call.
struct DigestJob {
  /// Canonical bytes in memory; used when `bytes` is null.
  std::span<const std::byte> memory;
  const FieldBytes* bytes = nullptr;
  Dtype dtype = Dtype::none;
  std::span<const std::int64_t> shape;
};

/// The tree of each job, in their order. A large field is cut at its chunks, many small ones make
/// one piece of work; a field that does not lie in one piece of memory is streamed by one thread.
/// Throws what FieldBytes::stream throws.
std::vector<DigestTree> digests_of(std::span<const DigestJob> jobs);
/// Only the roots: no memory is allocated for each field.
std::vector<Digest> roots_of(std::span<const DigestJob> jobs);

}  // namespace samestep
