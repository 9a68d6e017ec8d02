// Inflate: raw deflate streams, piece by piece. The home of zlib.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "checkpoint/containers/file_slice.h"

namespace samestep {

/// Passes the inflated bytes of `source` to `sink` in pieces of at most 64 KiB. `sink` returns
/// false to stop early. Throws Error{corrupt}, with file and offset, unless the stream is sound and
/// gives exactly `bytes` bytes; never produces more than that.
void inflate(const FileSlice& source, std::uint64_t bytes,
             const std::function<bool(std::span<const std::byte>)>& sink);

/// CRC-32 as ZIP files keep it (polynomial 0xEDB88320), continued from `crc`.
std::uint32_t crc32_of(std::span<const std::byte> bytes, std::uint32_t crc = 0) noexcept;

}  // namespace samestep
