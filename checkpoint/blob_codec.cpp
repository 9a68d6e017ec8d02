#include "checkpoint/blob_codec.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "checkpoint/byte_planes.h"
#include "checkpoint/hasher.h"
#include "schemas/check.h"
#include "schemas/error.h"

namespace samestep {
namespace {

constexpr std::uint32_t kMagic = 0x42505353;  // "SSPB"
constexpr std::uint8_t kVersion = 1;
constexpr std::size_t kEntryBytes = 4, kTrailerBytes = 36, kLevelsBytes = 12;
constexpr std::uint32_t kLengthMask = 0xFFFFFF;
// A plane is coded when that saves so much of it: reading it has its price.
constexpr std::size_t kGainShare = 32;
// Huffman codes cost more time than packing: they must save so much more.
constexpr std::size_t kEvenGainShare = 5, kEvenBytesMin = 64;
constexpr std::size_t kWidthMax = 8192;  // levels of more columns take more than they save
constexpr const char* kRemedy = "the record is damaged: record it again";

void put_number(std::uint64_t number, std::size_t width, std::byte* target) noexcept {
  for (std::size_t i = 0; i < width; ++i) target[i] = static_cast<std::byte>(number >> (8 * i));
}

void append_number(std::vector<std::byte>& out, std::uint64_t number, std::size_t width) {
  out.resize(out.size() + width);
  put_number(number, width, out.data() + out.size() - width);
}

std::uint64_t number_at(const std::byte* source, std::size_t width) noexcept {
  std::uint64_t number = 0;
  for (std::size_t i = width; i-- > 0;)
    number = number << 8 | std::to_integer<std::uint64_t>(source[i]);
  return number;
}

std::uint32_t entry_of(std::uint8_t form, std::size_t bytes) noexcept {
  return static_cast<std::uint32_t>(form) << 24 | static_cast<std::uint32_t>(bytes);
}

/// All elements of `width` bytes are the same.
bool is_constant(std::span<const std::byte> bytes, std::size_t width) noexcept {
  return std::memcmp(bytes.data(), bytes.data() + width, bytes.size() - width) == 0;
}

/// What codes of single bytes come to at best.
std::size_t coded_bytes(std::span<const std::byte> bytes) noexcept {
  std::array<std::array<std::uint32_t, 256>, 4> counts{};  // four, so that none waits for the last
  std::size_t i = 0;
  for (; i + 4 <= bytes.size(); i += 4)
    for (std::size_t k = 0; k < 4; ++k) ++counts[k][std::to_integer<std::size_t>(bytes[i + k])];
  for (; i < bytes.size(); ++i) ++counts[0][std::to_integer<std::size_t>(bytes[i])];
  double bits = 0;
  for (std::size_t value = 0; value < 256; ++value) {
    const std::uint32_t count =
        counts[0][value] + counts[1][value] + counts[2][value] + counts[3][value];
    if (count > 0) bits += count * std::log2(static_cast<double>(bytes.size()) / count);
  }
  return static_cast<std::size_t>(bits / 8);
}

[[noreturn]] void fail(const std::string& message, const std::string& where) {
  throw Error(ErrorCode::corrupt, message, where, kRemedy);
}

[[noreturn]] void refuse(const std::string& message, const std::string& where) {
  throw Error(ErrorCode::unsupported, message, where, "use a newer samestep");
}

std::uint64_t chunk_count(std::uint64_t bytes) noexcept {
  return bytes / kChunkBytes + (bytes % kChunkBytes != 0);
}

}  // namespace

std::size_t plane_count(Dtype dtype) noexcept {
  std::size_t bytes = element_bytes(dtype);
  const bool is_complex =
      dtype == Dtype::complex32 || dtype == Dtype::complex64 || dtype == Dtype::complex128;
  if (is_complex) bytes /= 2;
  return has_planes(bytes) ? bytes : 1;
}

bool is_turned(Dtype dtype) noexcept { return is_floating(dtype) && plane_count(dtype) > 1; }

ChunkLayout chunk_layout(Dtype dtype, std::span<const std::int64_t> shape) noexcept {
  return {plane_count(dtype), is_turned(dtype), row_numbers(dtype, shape)};
}

void ChunkEncoder::start(const ChunkLayout& layout, std::uint64_t first,
                         std::size_t chunks) noexcept {
  planes_ = layout.planes;
  turned_ = layout.turned && planes_ > 1;
  grid_ = {};
  if (turned_ && layout.row > 0 && layout.row <= kWidthMax)
    grid_ = {static_cast<std::uint32_t>(layout.row),
             static_cast<std::uint32_t>(first % layout.row)};
  fresh_ = true;
  levelled_ = false;
  chunks_ = chunks;
}

ChunkFrame ChunkEncoder::encode(std::span<const std::byte> chunk, std::span<std::byte> frame) {
  SAMESTEP_CHECK(chunk.size() <= kChunkBytes && frame.size() >= chunk.size() + kFrameExtraBytes);
  const std::size_t bytes = encode_planes(chunk, frame);
  if (bytes == 0) levelled_ = false;  // nothing of it is written
  if (grid_.width > 0)
    grid_.column =
        static_cast<std::uint32_t>((grid_.column + chunk.size() / planes_) % grid_.width);
  if (bytes > 0) {
    const ChunkForm form = levelled_ ? ChunkForm::levelled
                           : turned_ ? ChunkForm::turned
                                     : ChunkForm::planes;
    return {form, static_cast<std::uint32_t>(bytes)};
  }
  if (!chunk.empty()) std::memcpy(frame.data(), chunk.data(), chunk.size());
  return {ChunkForm::raw, static_cast<std::uint32_t>(chunk.size())};
}

/// The length of the frame; 0 when the chunk is better left as it is.
std::size_t ChunkEncoder::encode_planes(std::span<const std::byte> chunk,
                                        std::span<std::byte> frame) {
  if (chunk.empty() || chunk.size() % planes_ != 0) return 0;
  const bool all = std::exchange(fresh_, false);
  const bool hopeless = !all && std::ranges::none_of(paid_, [](bool paid) { return paid; });
  if (hopeless && !is_constant(chunk, planes_)) return 0;
  // Planes are put where they stay if none before them shrinks: then those that are left as they
  // are need no copy.
  const std::size_t entries = planes_ * kEntryBytes, plane_bytes = chunk.size() / planes_;
  const bool may_level = all ? tell_columns(grid_, plane_bytes) : levelled_;
  const std::size_t room =
      may_level ? kLevelsBytes + (all ? grid_.width : 0) + grid_.rows(plane_bytes) : 0;
  const std::span body = frame.subspan(room + entries, chunk.size());
  if (planes_ > 1) {
    split_planes(chunk, planes_, turned_, body);
  } else {
    std::memcpy(body.data(), chunk.data(), chunk.size());
  }
  const std::size_t head = may_level ? level(body.last(plane_bytes), all, frame.first(room)) : 0;
  std::size_t bytes = head + entries;
  for (std::size_t k = 0; k < planes_; ++k) {
    const auto plane = body.subspan(k * plane_bytes, plane_bytes);
    const CodedPlane coded = encode_plane(plane, k == 0, all || paid_[k], frame.data() + bytes);
    paid_[k] = coded.form == PlaneForm::constant || coded.form == PlaneForm::zstd;
    put_number(entry_of(static_cast<std::uint8_t>(coded.form), coded.bytes), kEntryBytes,
               frame.data() + head + k * kEntryBytes);
    bytes += coded.bytes;
  }
  return bytes < chunk.size() ? bytes : 0;
}

/// Takes the levels from `plane`, where that pays, and puts them into `head`; how long they are.
std::size_t ChunkEncoder::level(std::span<std::byte> plane, bool first, std::span<std::byte> head) {
  if (first) {
    columns_.resize(grid_.width);
    find_columns(plane, grid_, columns_);
  }
  const std::span rows = head.last(grid_.rows(plane.size()));
  const std::byte base = find_rows(plane, grid_, columns_, rows);
  differences_.resize(plane.size());
  subtract_levels(plane, grid_, {base, columns_, rows}, differences_.data());
  if (first) levelled_ = pays(plane, differences_, head.size());
  if (!levelled_) return 0;
  std::ranges::copy(differences_, plane.begin());
  put_number(grid_.width, 4, head.data());
  put_number(grid_.column, 4, head.data() + 4);
  put_number(std::to_integer<std::uint64_t>(base), 1, head.data() + 8);
  put_number(first ? 1 : 0, 3, head.data() + 9);
  if (first) std::ranges::copy(columns_, head.begin() + kLevelsBytes);
  return head.size();
}

bool ChunkEncoder::pays(std::span<const std::byte> plane, std::span<const std::byte> differences,
                        std::size_t head_bytes) const {
  const std::size_t columns = grid_.width, rows = head_bytes - columns;
  return coded_bytes(differences) + rows + columns / chunks_ + plane.size() / kGainShare <
         coded_bytes(plane);
}

/// Puts `plane` at `target`, which is not behind it and may overlap it.
CodedPlane ChunkEncoder::encode_plane(std::span<const std::byte> plane, bool lowest,
                                      bool worth_trying, std::byte* target) {
  if (is_constant(plane, 1)) {
    target[0] = plane[0];
    return {PlaneForm::constant, 1};
  }
  // The sign of numbers that are all positive.
  const bool even = lowest && turned_ && plane.size() >= kEvenBytesMin && are_even(plane);
  if (worth_trying) {
    const auto effort = planes_ == 1 ? SmallFrames::Effort::matches : SmallFrames::Effort::literals;
    const std::size_t room = plane.size() - plane.size() / (even ? kEvenGainShare : kGainShare);
    if (const std::size_t bytes = frames_.compress(plane, effort, std::span(coded_).first(room))) {
      std::memcpy(target, coded_.data(), bytes);
      return {PlaneForm::zstd, bytes};
    }
  }
  if (even) {
    const std::size_t bytes = packed_bytes(plane.size());
    pack_even(plane, {target, bytes});
    return {PlaneForm::even, bytes};
  }
  if (target != plane.data()) std::memmove(target, plane.data(), plane.size());
  return {PlaneForm::raw, plane.size()};
}

void ChunkDecoder::decode(const ChunkFrame& form, std::size_t planes,
                          std::span<const std::byte> frame, std::span<std::byte> chunk,
                          const std::string& where) {
  SAMESTEP_CHECK(frame.size() == form.bytes && chunk.size() <= kChunkBytes);
  if (form.form == ChunkForm::raw) {
    if (frame.size() != chunk.size()) fail("a chunk has another length than was recorded", where);
    if (!chunk.empty()) std::memcpy(chunk.data(), frame.data(), frame.size());
    return;
  }
  const bool levelled = form.form == ChunkForm::levelled;
  if (chunk.empty() || chunk.size() % planes != 0 || (levelled && planes == 1))
    fail("a chunk that cannot have planes is said to have some", where);
  const std::size_t plane_bytes = chunk.size() / planes;
  if (levelled) frame = read_levels(frame, plane_bytes, where);
  if (frame.size() < planes * kEntryBytes) fail("a chunk ends before its planes", where);
  std::array<const std::byte*, kPlanesMax> pointers{};
  auto rest = frame.subspan(planes * kEntryBytes);
  for (std::size_t k = 0; k < planes; ++k) {
    const std::uint64_t entry = number_at(frame.data() + k * kEntryBytes, kEntryBytes);
    const std::size_t bytes = entry & kLengthMask;
    if (bytes > rest.size()) fail("a plane does not end inside its frame", where);
    const std::span target = std::span(split_).subspan(k * plane_bytes, plane_bytes);
    pointers[k] =
        decode_plane(static_cast<std::uint8_t>(entry >> 24), rest.first(bytes), target, where);
    rest = rest.subspan(bytes);
  }
  if (!rest.empty()) fail("bytes follow the last plane of a chunk", where);
  if (levelled) {
    const std::span target = std::span(split_).subspan((planes - 1) * plane_bytes, plane_bytes);
    add_levels({pointers[planes - 1], plane_bytes}, grid_, levels_, target.data());
    pointers[planes - 1] = target.data();
  }
  if (planes == 1) {
    std::memcpy(chunk.data(), pointers[0], chunk.size());
  } else {
    merge_planes(std::span(pointers).first(planes), form.form != ChunkForm::planes, chunk);
  }
}

/// Takes what a levelled chunk of `count` numbers begins with; the rest of its frame.
std::span<const std::byte> ChunkDecoder::read_levels(std::span<const std::byte> frame,
                                                     std::size_t count, const std::string& where) {
  if (frame.size() < kLevelsBytes) fail("a chunk ends before its levels", where);
  const std::uint64_t width = number_at(frame.data(), 4), column = number_at(frame.data() + 4, 4);
  const std::uint64_t has_columns = number_at(frame.data() + 9, 3);
  const std::byte base = frame[8];
  if (width == 0 || column >= width || has_columns > 1)
    fail("the levels of a chunk contradict themselves", where);
  frame = frame.subspan(kLevelsBytes);
  if (has_columns == 1) {
    if (width > frame.size()) fail("a chunk ends before its levels", where);
    columns_.assign(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(width));
    frame = frame.subspan(width);
  } else if (columns_.size() != width) {
    fail("a chunk is without the levels of its columns", where);
  }
  grid_ = {static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(column)};
  const std::size_t rows = grid_.rows(count);
  if (rows > frame.size()) fail("a chunk ends before its levels", where);
  levels_ = {base, columns_, frame.first(rows)};
  return frame.subspan(rows);
}

/// Where the bytes of the plane lie: in `coded` when they stand there as they are, else in
/// `target`.
const std::byte* ChunkDecoder::decode_plane(std::uint8_t form, std::span<const std::byte> coded,
                                            std::span<std::byte> target, const std::string& where) {
  switch (static_cast<PlaneForm>(form)) {
    case PlaneForm::raw:
      if (coded.size() != target.size()) fail("a plane has another length than its chunk", where);
      return coded.data();
    case PlaneForm::constant:
      if (coded.size() != 1) fail("a constant plane is not one byte", where);
      std::memset(target.data(), std::to_integer<int>(coded[0]), target.size());
      return target.data();
    case PlaneForm::even:
      if (coded.size() != packed_bytes(target.size()))
        fail("a packed plane has another length than its chunk", where);
      unpack_even(coded, target);
      return target.data();
    case PlaneForm::zstd:
      if (!frames_.expand(coded, target)) fail("a plane is damaged", where);
      return target.data();
  }
  refuse("form " + std::to_string(form) + " of a plane", where);
}

void BlobIndex::append_to(std::vector<std::byte>& out) const {
  const std::size_t begin = out.size();
  for (const ChunkFrame& frame : frames)
    append_number(out, entry_of(static_cast<std::uint8_t>(frame.form), frame.bytes), kEntryBytes);
  append_number(out, kMagic, 4);
  append_number(out, kVersion, 1);
  append_number(out, planes, 1);
  append_number(out, 0, 2);
  append_number(out, kChunkBytes, 4);
  append_number(out, bytes, 8);
  const Digest sum = digest_of_chunk(std::span(out).subspan(begin));
  append_number(out, sum.low, 8);
  append_number(out, sum.high, 8);
}

BlobIndex BlobIndex::read(std::span<const std::byte> stored, std::uint64_t bytes,
                          const std::string& where) {
  const std::uint64_t count = chunk_count(bytes);
  if (stored.size() < kTrailerBytes || (stored.size() - kTrailerBytes) / kEntryBytes < count)
    fail("a blob ends before its index", where);
  const std::span index = stored.last(count * kEntryBytes + kTrailerBytes);
  const std::byte* trailer = index.data() + count * kEntryBytes;
  if (number_at(trailer, 4) != kMagic) fail("no index stands at the end of a blob", where);
  if (number_at(trailer + 4, 1) != kVersion)
    refuse("version " + std::to_string(number_at(trailer + 4, 1)) + " of a blob", where);
  const Digest sum = digest_of_chunk(index.first(index.size() - 16));
  if (number_at(trailer + 20, 8) != sum.low || number_at(trailer + 28, 8) != sum.high)
    fail("the index of a blob is damaged", where);
  BlobIndex found;
  found.planes = number_at(trailer + 5, 1);
  found.bytes = number_at(trailer + 12, 8);
  const bool sound = (found.planes == 1 || has_planes(found.planes)) &&
                     number_at(trailer + 6, 2) == 0 && number_at(trailer + 8, 4) == kChunkBytes;
  if (!sound) refuse("a blob is made in another way", where);
  if (found.bytes != bytes) fail("a blob holds another length than was recorded", where);
  std::uint64_t sum_bytes = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t entry = number_at(index.data() + i * kEntryBytes, kEntryBytes);
    const std::uint64_t form = entry >> 24;
    if (form > static_cast<std::uint64_t>(ChunkForm::levelled))
      refuse("form " + std::to_string(form) + " of a chunk", where);
    found.frames.push_back(
        {static_cast<ChunkForm>(form), static_cast<std::uint32_t>(entry & kLengthMask)});
    sum_bytes += entry & kLengthMask;
  }
  if (sum_bytes != stored.size() - index.size())
    fail("the frames of a blob are not as long as its index says", where);
  return found;
}

}  // namespace samestep
