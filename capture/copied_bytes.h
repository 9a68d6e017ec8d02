// CopiedBytes: the canonical bytes of a field as they were.
#pragma once

#include <memory>
#include <span>

#include "checkpoint/field_bytes.h"

namespace samestep {

/// Lies in one piece where its source does: who writes both in the same way makes the same of them.
class CopiedBytes final : public FieldBytes {
 public:
  /// Throws what `source.stream` throws, and std::bad_alloc.
  explicit CopiedBytes(const FieldBytes& source);

  std::uint64_t size() const override { return size_; }
  void stream(const ByteSink& sink) const override;
  std::span<const std::byte> contiguous() const override;

 private:
  std::uint64_t size_;
  bool in_one_piece_;
  std::unique_ptr<std::byte[]> bytes_;
};

}  // namespace samestep
