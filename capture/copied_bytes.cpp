#include "capture/copied_bytes.h"

#include <cstring>

namespace samestep {

CopiedBytes::CopiedBytes(const FieldBytes& source)
    : size_(source.size()),
      in_one_piece_(!source.contiguous().empty()),
      bytes_(std::make_unique_for_overwrite<std::byte[]>(size_)) {
  std::byte* target = bytes_.get();
  source.stream([&target](std::span<const std::byte> piece) {
    // A loop would go byte by byte: for all it knows `target` lies in what it writes.
    if (piece.empty()) return;
    std::memcpy(target, piece.data(), piece.size());
    target += piece.size();
  });
}

void CopiedBytes::stream(const ByteSink& sink) const {
  if (size_ > 0) sink({bytes_.get(), size_});
}

std::span<const std::byte> CopiedBytes::contiguous() const {
  if (!in_one_piece_) return {};
  return {bytes_.get(), size_};
}

}  // namespace samestep
