// FieldBytes: the canonical bytes of one field, read on demand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "schemas/dtype.h"
#include "schemas/value.h"

namespace samestep {

/// Receives canonical bytes in order, in pieces of any size; a piece is valid only during the call.
using ByteSink = std::function<void(std::span<const std::byte>)>;

/// Bytes live in a mapped file, an archive, a pack or a trainer's memory. Immutable; safe to read
/// from several threads.
class FieldBytes {
 public:
  virtual ~FieldBytes() = default;
  /// Canonical length in bytes (DESIGN 5): elements in row-major order, little-endian; of a value,
  /// its tagged form.
  virtual std::uint64_t size() const = 0;
  /// Passes all canonical bytes to `sink`, in order. Throws Error{unreadable, corrupt} with file
  /// and offset.
  virtual void stream(const ByteSink& sink) const = 0;
  /// The same bytes as one span where they lie so in memory; empty otherwise (or when size() is 0).
  virtual std::span<const std::byte> contiguous() const { return {}; }
};

using FieldBytesPtr = std::shared_ptr<const FieldBytes>;

/// Elements in memory with any strides. `base` points at element [0, ..., 0]; strides in elements
/// (negative allowed, 0 = expanded). `byte_swapped`: stored big-endian. `conjugate`/`negative`:
/// torch's lazy bits, applied while streaming.
struct TensorView {
  const std::byte* base = nullptr;
  Dtype dtype = Dtype::none;
  std::vector<std::int64_t> shape, strides;
  std::uint32_t item_bytes = 0;  ///< bytes of an element of Dtype::text; others know their own
  bool byte_swapped = false, conjugate = false, negative = false;
};

/// Bytes of a tensor; `owner` keeps `view.base` alive (may be null when the caller does). Every
/// element must lie in memory that may be read: the caller has checked extents. No copy of the
/// whole tensor is ever made. Dtypes of several elements a byte (quint4x2, quint2x4) must be
/// contiguous; the last dimension is padded to whole bytes. Throws Error{unsupported} for one that
/// is not, Error{corrupt} for a shape that is negative or overflows.
FieldBytesPtr tensor_bytes(TensorView view, std::shared_ptr<const void> owner);
/// Canonical tagged bytes of a value (schemas/DIGEST.md).
FieldBytesPtr value_bytes(const Value& value);

}  // namespace samestep
