// Hasher: canonical bytes -> DigestTree. checkpoint/hasher* is the home of xxHash and OpenSSL.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/field_bytes.h"
#include "schemas/digest.h"

namespace samestep {

/// Feeds canonical bytes in pieces of any size; the tree does not depend on how they were cut.
class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(Hasher&&) noexcept;
  void update(std::span<const std::byte> bytes);
  /// Ends the field; the hasher is then new again. `dtype` and `shape` enter the root
  /// (schemas/DIGEST.md).
  DigestTree finish(Dtype dtype, std::span<const std::int64_t> shape);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The digest of one chunk of at most kChunkBytes.
Digest digest_of_chunk(std::span<const std::byte> chunk) noexcept;
/// The root over `chunks` of a field of `bytes` canonical bytes (schemas/DIGEST.md, "The root").
Digest root_of(Dtype dtype, std::span<const std::int64_t> shape, std::uint64_t bytes,
               std::span<const Digest> chunks);

/// The tree of `bytes` of a field of this dtype and shape (Dtype::none and {} for a value). Many
/// bytes in one piece of memory are shared among threads (crew.h); for many fields see
/// hasher_batch.h.
DigestTree digest_of(const FieldBytes& bytes, Dtype dtype, std::span<const std::int64_t> shape);
DigestTree digest_of(const Value& value);
/// SHA-256 of the canonical bytes alone (no dtype, no shape), lower-case hexadecimal. For those who
/// must reckon with an adversary: XXH3 is no cryptographic hash.
std::string sha256_of(const FieldBytes& bytes);

}  // namespace samestep
