// Compressor: Zstandard frames. The home of Zstandard.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
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

/// Frames of at most a chunk, one after the other, with memory that is kept between them. Not
/// thread-safe.
class SmallFrames {
 public:
  enum class Effort : std::uint8_t {
    literals,  ///< Huffman codes alone: for bytes that hardly repeat, the fastest
    matches,   ///< level 1
  };

  SmallFrames();
  ~SmallFrames();
  SmallFrames(SmallFrames&&) noexcept;
  SmallFrames& operator=(SmallFrames&&) noexcept;

  /// Puts a frame of `bytes` with their length and no checksum at the begin of `frame`. Its length;
  /// 0 when it does not fit there, what is in `frame` is then undefined.
  std::size_t compress(std::span<const std::byte> bytes, Effort effort, std::span<std::byte> frame);
  /// Fills `bytes` from `frame`; false when that does not hold exactly so many.
  bool expand(std::span<const std::byte> frame, std::span<std::byte> bytes);

 private:
  struct Contexts;
  std::unique_ptr<Contexts> contexts_;
};

/// Frames one after the other, as far as they are whole: a writer that was killed leaves half of
/// the last one.
struct Frames {
  std::string text;  ///< of all whole frames
  std::uint64_t frames = 0;
  bool whole = true;  ///< nothing but whole frames is there
};
/// Throws Error{corrupt} for a frame that is damaged or is followed by a whole one, Error{limit}
/// beyond `bytes_max` bytes of text.
Frames decompress_frames(std::span<const std::byte> bytes, const std::string& where,
                         std::uint64_t bytes_max = std::uint64_t{4} << 30);

}  // namespace samestep
