#include "checkpoint/blob_codec.h"

#include <algorithm>
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
constexpr std::size_t kEntryBytes = 4, kTrailerBytes = 36;
constexpr std::uint32_t kLengthMask = 0xFFFFFF;
// A plane is coded when that saves so much of it: reading it has its price.
constexpr std::size_t kGainShare = 32;
// Huffman codes cost more time than packing: they must save so much more.
constexpr std::size_t kEvenGainShare = 5, kEvenBytesMin = 64;
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

void ChunkEncoder::start(std::size_t planes, bool turned) noexcept {
  turned_ = turned && planes > 1;
  planes_ = planes;
  fresh_ = true;
}

ChunkFrame ChunkEncoder::encode(std::span<const std::byte> chunk, std::span<std::byte> frame) {
  SAMESTEP_CHECK(chunk.size() <= kChunkBytes && frame.size() >= chunk.size() + kFrameExtraBytes);
  if (const std::size_t bytes = encode_planes(chunk, frame))
    return {turned_ ? ChunkForm::turned : ChunkForm::planes, static_cast<std::uint32_t>(bytes)};
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
  const std::size_t head = planes_ * kEntryBytes, plane_bytes = chunk.size() / planes_;
  const std::span body = frame.subspan(head, chunk.size());
  if (planes_ > 1) {
    split_planes(chunk, planes_, turned_, body);
  } else {
    std::memcpy(body.data(), chunk.data(), chunk.size());
  }
  std::size_t bytes = head;
  for (std::size_t k = 0; k < planes_; ++k) {
    const auto plane = body.subspan(k * plane_bytes, plane_bytes);
    const CodedPlane coded = encode_plane(plane, k == 0, all || paid_[k], frame.data() + bytes);
    paid_[k] = coded.form == PlaneForm::constant || coded.form == PlaneForm::zstd;
    put_number(entry_of(static_cast<std::uint8_t>(coded.form), coded.bytes), kEntryBytes,
               frame.data() + k * kEntryBytes);
    bytes += coded.bytes;
  }
  return bytes < chunk.size() ? bytes : 0;
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
  if (chunk.empty() || chunk.size() % planes != 0 || frame.size() < planes * kEntryBytes)
    fail("a chunk that cannot have planes is said to have some", where);
  const std::size_t plane_bytes = chunk.size() / planes;
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
  if (planes == 1) {
    std::memcpy(chunk.data(), pointers[0], chunk.size());
  } else {
    merge_planes(std::span(pointers).first(planes), form.form == ChunkForm::turned, chunk);
  }
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
    if (form > static_cast<std::uint64_t>(ChunkForm::turned))
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
