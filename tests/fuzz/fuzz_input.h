// What fuzz targets share: the input as a slice, and a caller that lets only Error through.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "checkpoint/containers/file_slice.h"
#include "checkpoint/formats/document.h"
#include "schemas/error.h"

namespace samestep::fuzz {

/// The input as a file. libFuzzer keeps it alive, in a heap block of exactly its size.
inline FileSlice slice_of(const std::uint8_t* data, std::size_t size, const char* file = "fuzz") {
  return FileSlice{file, std::as_bytes(std::span<const std::uint8_t>(data, size)), 0, nullptr};
}

/// Reads every byte that `document` promises, up to 1 MiB a leaf: a view that reaches outside its
/// file is found here.
inline void stream_all(const Document& document) {
  constexpr std::uint64_t kLeafBytesMax = 1 << 20;
  for (const Leaf& leaf : document.leaves) {
    if (leaf.bytes == nullptr || leaf.bytes->size() > kLeafBytesMax) continue;
    std::uint64_t bytes = 0;
    unsigned sum = 0;
    leaf.bytes->stream([&](std::span<const std::byte> piece) {
      bytes += piece.size();
      for (const std::byte byte : piece) sum += std::to_integer<unsigned>(byte);
    });
    if (bytes != leaf.bytes->size() || sum == 0xFFFFFFFFu) __builtin_trap();
  }
}

/// Runs `read`; bad input may only end in an Error.
template <typename Read>
int run(Read&& read) {
  try {
    read();
  } catch (const Error&) {
  }
  return 0;
}

}  // namespace samestep::fuzz
