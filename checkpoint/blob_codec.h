// BlobCodec: the chunks of a field as frames, and back. PACK.md describes the format.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/compressor.h"
#include "checkpoint/levels.h"
#include "schemas/digest.h"
#include "schemas/dtype.h"

namespace samestep {

/// How a frame holds its chunk. Pinned.
enum class ChunkForm : std::uint8_t {
  raw = 0,       ///< as it is
  planes = 1,    ///< byte planes, each coded by itself
  turned = 2,    ///< the same of numbers that were rotated by a bit (byte_planes.h)
  levelled = 3,  ///< the same, the last plane less levels of rows and columns (levels.h)
};

/// How a plane is coded. Pinned.
enum class PlaneForm : std::uint8_t {
  raw = 0,
  constant = 1,  ///< one byte that all are
  zstd = 2,      ///< a Zstandard frame
  even = 3,      ///< the upper 7 bits of bytes whose lowest bit is zero
};

/// Bytes of the numbers that elements of `dtype` consist of, where they are split into planes; else
/// 1: such a chunk is a single plane.
std::size_t plane_count(Dtype dtype) noexcept;

/// Numbers of this dtype are turned before they are split: floating point ones, whose exponent then
/// lies in one byte, or most of it.
bool is_turned(Dtype dtype) noexcept;

/// How the numbers of a field lie in it.
struct ChunkLayout {
  std::size_t planes = 1;
  bool turned = false;
  std::size_t row = 0;  ///< numbers a row of a matrix, 0 of anything else
};
ChunkLayout chunk_layout(Dtype dtype, std::span<const std::int64_t> shape) noexcept;

/// A frame's line in the index of its blob.
struct ChunkFrame {
  ChunkForm form = ChunkForm::raw;
  std::uint32_t bytes = 0;
  bool operator==(const ChunkFrame&) const = default;
};

struct CodedPlane {
  PlaneForm form = PlaneForm::raw;
  std::size_t bytes = 0;
};

inline constexpr std::size_t kPlanesMax = 8;
/// What a frame being made needs beside the length of its chunk.
inline constexpr std::size_t kFrameExtraBytes = 16 << 10;

/// Makes frames; remembers which planes paid in the chunk before, and tries only those. Not
/// thread-safe.
class ChunkEncoder {
 public:
  /// `chunks` are to come of other data, which begins with the number `first` of a field: all
  /// planes are tried again. What is coded then depends on nothing that came before.
  void start(const ChunkLayout& layout, std::uint64_t first = 0, std::size_t chunks = 1) noexcept;
  /// Puts the frame of `chunk` (at most kChunkBytes) at the begin of `frame`, which has at
  /// least kFrameExtraBytes more. The frame is at most as long as the chunk.
  ChunkFrame encode(std::span<const std::byte> chunk, std::span<std::byte> frame);

 private:
  std::size_t encode_planes(std::span<const std::byte> chunk, std::span<std::byte> frame);
  std::size_t level(std::span<std::byte> plane, bool first, std::span<std::byte> head);
  bool pays(std::span<const std::byte> plane, std::span<const std::byte> differences,
            std::size_t head_bytes) const;
  CodedPlane encode_plane(std::span<const std::byte> plane, bool lowest, bool worth_trying,
                          std::byte* target);

  std::size_t planes_ = 1;
  bool turned_ = false;
  Grid grid_;  ///< of the chunk to come
  std::size_t chunks_ = 1;
  bool levelled_ = false;  ///< since the start, with `columns_`
  std::vector<std::byte> columns_, differences_;
  std::array<bool, kPlanesMax> paid_{};  ///< plane by plane
  bool fresh_ = true;
  SmallFrames frames_;
  std::vector<std::byte> coded_ = std::vector<std::byte>(kChunkBytes);
};

/// Reads frames, those of a blob in their order: a levelled one needs the columns that stood in one
/// before it. Not thread-safe.
class ChunkDecoder {
 public:
  /// Fills `chunk` from `frame`, whose index entry is `form`. Throws Error{corrupt} with `where`
  /// when the frame does not hold exactly so many bytes, Error{unsupported} for a form that is not
  /// known.
  void decode(const ChunkFrame& form, std::size_t planes, std::span<const std::byte> frame,
              std::span<std::byte> chunk, const std::string& where);

 private:
  std::span<const std::byte> read_levels(std::span<const std::byte> frame, std::size_t count,
                                         const std::string& where);
  const std::byte* decode_plane(std::uint8_t form, std::span<const std::byte> coded,
                                std::span<std::byte> target, const std::string& where);

  SmallFrames frames_;
  Grid grid_;  ///< of the chunk, and of columns_
  Levels levels_;
  std::vector<std::byte> columns_;
  std::vector<std::byte> split_ = std::vector<std::byte>(kChunkBytes);
};

/// What stands after the frames of a blob: the form and length of each, in order.
class BlobIndex {
 public:
  std::size_t planes = 1;
  std::uint64_t bytes = 0;  ///< of the field
  std::vector<ChunkFrame> frames;

  /// Appends it to `out`.
  void append_to(std::vector<std::byte>& out) const;
  /// The index at the end of `stored`, which is a whole blob of a field of `bytes` bytes. Throws
  /// Error{corrupt} when it is damaged or does not fit `stored` and `bytes`, Error{unsupported}
  /// for a version that is not known.
  static BlobIndex read(std::span<const std::byte> stored, std::uint64_t bytes,
                        const std::string& where);
};

}  // namespace samestep
