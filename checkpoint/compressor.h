// Compressor: Zstandard frames. The home of Zstandard.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace samestep {

/// One frame that holds `bytes`, its length and a checksum. Level 1: speed before size.
std::vector<std::byte> compress(std::span<const std::byte> bytes);

/// What a frame of exactly `bytes_expected` bytes holds. Throws Error{corrupt} with `where` when it
/// holds anything else.
std::vector<std::byte> decompress(std::span<const std::byte> frame, std::uint64_t bytes_expected,
                                  const std::string& where);

/// Frames one after the other, as far as they are whole: a writer that was killed leaves half of
/// the last one.
struct Frames {
  std::string text;  ///< of all whole frames
  std::uint64_t frames = 0;
  bool whole = true;  ///< nothing but whole frames is there
};
/// Throws Error{corrupt} for a frame that is whole and damaged, Error{limit} beyond `bytes_max`
/// bytes of text.
Frames decompress_frames(std::span<const std::byte> bytes, const std::string& where,
                         std::uint64_t bytes_max = std::uint64_t{4} << 30);

}  // namespace samestep
