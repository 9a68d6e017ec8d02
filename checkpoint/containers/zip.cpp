#include "checkpoint/containers/zip.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "checkpoint/containers/byte_reader.h"
#include "checkpoint/containers/inflate.h"
#include "checkpoint/containers/zip_local.h"
#include "checkpoint/files/forget_pages.h"
#include "schemas/error.h"

namespace samestep {
namespace {

constexpr std::uint32_t kCentralSignature = 0x02014b50, kEndSignature = 0x06054b50,
                        kZip64EndSignature = 0x06064b50, kZip64LocatorSignature = 0x07064b50;
constexpr std::uint64_t kEndBytes = 22, kLocatorBytes = 20, kZip64EndBytes = 56,
                        kCommentBytesMax = 65535;
constexpr std::uint64_t kCentralBytes = 46, kLocalBytes = 30;
constexpr std::uint16_t kMethodStored = 0, kMethodDeflated = 8, kZip64Extra = 1;
constexpr std::uint64_t kHeadersKept = 12;    // with up to kMappedAtOnce around each
constexpr std::uint32_t kIn64 = 0xFFFFFFFFu;  // the number stands in the zip64 extra field

std::uint32_t signature_at(const FileSlice& archive, std::uint64_t at) {
  return ByteReader(archive, at).u32("signature");
}

/// Position of the classic end record: the last one whose comment ends with the file.
std::optional<std::uint64_t> find_end(const FileSlice& archive) {
  const std::uint64_t size = archive.bytes.size();
  if (size < kEndBytes) return std::nullopt;
  const std::uint64_t first = size - kEndBytes - std::min(size - kEndBytes, kCommentBytesMax);
  for (std::uint64_t at = size - kEndBytes + 1; at-- > first;) {
    if (archive.bytes[at] != std::byte{0x50} || signature_at(archive, at) != kEndSignature)
      continue;
    if (at + kEndBytes + ByteReader(archive, at + 20).u16("comment length") == size) return at;
  }
  return std::nullopt;
}

/// Record names are looked up inside the archive only; a name that climbs out of it is never
/// honest.
bool is_plain_name(std::string_view name) {
  if (name.empty() || name.front() == '/' || name.find('\0') != std::string_view::npos)
    return false;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find_first_of("/\\", begin), name.size());
    if (name.substr(begin, end - begin) == "..") return false;
    begin = end + 1;
  }
  return true;
}

/// Puts the 64-bit numbers of the zip64 extra field where `*numbers` says that they stand there.
void read_zip64_extra(const FileSlice& archive, const FileSlice& extra,
                      std::span<std::uint64_t* const> numbers) {
  ByteReader reader(extra);
  while (reader.left() >= 4) {
    const std::uint16_t id = reader.u16("extra field");
    const std::uint64_t length = reader.u16("extra field");
    if (id != kZip64Extra) {
      reader.take(std::min(length, reader.left()), "extra field");
      continue;
    }
    for (std::uint64_t* number : numbers) *number = reader.u64("zip64 extra field");
    return;
  }
  throw Error(ErrorCode::corrupt, "the entry has no zip64 extra field, though its numbers say so",
              place_in(archive, extra.offset - archive.offset), "use another checkpoint");
}

ZipEntry read_central(const FileSlice& archive, ByteReader& reader) {
  const std::uint64_t at = reader.position();
  if (reader.u32("central directory entry") != kCentralSignature) {
    reader.fail_at(at, "the central directory entry has a wrong signature");
  }
  reader.take(4, "versions");
  const std::uint16_t flags = reader.u16("flags"), method = reader.u16("method");
  reader.take(4, "time");
  ZipEntry entry;
  entry.crc32 = reader.u32("crc");
  entry.stored_bytes = reader.u32("compressed size");
  entry.bytes = reader.u32("size");
  const std::uint16_t name_bytes = reader.u16("name length"),
                      extra_bytes = reader.u16("extra length"),
                      comment_bytes = reader.u16("comment length");
  reader.take(8, "attributes");
  entry.header_offset = reader.u32("local header offset");
  entry.name = characters(reader.take(name_bytes, "entry name"));
  const FileSlice extra = archive.part(reader.position(), extra_bytes, "extra field");
  reader.take(std::uint64_t{extra_bytes} + comment_bytes, "extra field and comment");

  std::vector<std::uint64_t*> in_extra;
  for (std::uint64_t* number : {&entry.bytes, &entry.stored_bytes, &entry.header_offset}) {
    if (*number == kIn64) in_extra.push_back(number);
  }
  if (!in_extra.empty()) read_zip64_extra(archive, extra, in_extra);
  const std::string quoted = "record '" + entry.name + "'";
  if (!is_plain_name(entry.name))
    reader.fail_at(at, quoted + " has a name that leaves the archive");
  if (is_encrypted_zip(flags)) refuse_zip(archive, at, quoted + " is encrypted");
  if (method != kMethodStored && method != kMethodDeflated) {
    refuse_zip(archive, at, quoted + " is compressed by method " + std::to_string(method));
  }
  entry.deflated = method == kMethodDeflated;
  if (!entry.deflated && entry.stored_bytes != entry.bytes) {
    reader.fail_at(at, quoted + " is stored, but its two sizes differ");
  }
  return entry;
}

}  // namespace

struct ZipArchive::Directory {
  std::uint64_t offset = 0, bytes = 0, entries = 0;
  std::uint64_t end = 0;  ///< where the end records begin

  bool operator==(const Directory& other) const {
    return offset == other.offset && bytes == other.bytes && entries == other.entries;
  }
};

bool ZipArchive::sniff(std::span<const std::byte> bytes) noexcept {
  constexpr std::byte kPk[] = {std::byte{'P'}, std::byte{'K'}};
  if (bytes.size() < 4 || !std::equal(std::begin(kPk), std::end(kPk), bytes.begin())) return false;
  const auto kind = std::to_integer<int>(bytes[2]), end = std::to_integer<int>(bytes[3]);
  return (kind == 3 && end == 4) || (kind == 5 && end == 6);
}

ZipArchive ZipArchive::open(FileSlice slice) {
  ZipArchive archive(std::move(slice));
  const Directory directory = archive.find_directory();
  archive.read_directory(directory);
  archive.set_ends(directory.offset);
  return archive;
}

ZipArchive::Directory ZipArchive::find_directory() {
  const auto end = find_end(archive_);
  if (!end) {
    throw Error(ErrorCode::corrupt,
                "the ZIP file has no end record: it was cut, or its save was interrupted",
                place_in(archive_, archive_.bytes.size()), "use another checkpoint");
  }
  Directory classic;
  classic.end = *end;
  ByteReader reader(archive_, *end + 8);
  reader.u16("entries");
  classic.entries = reader.u16("entries");
  classic.bytes = reader.u32("directory size");
  classic.offset = reader.u32("directory offset");
  const bool has_zip64 = *end >= kLocatorBytes &&
                         signature_at(archive_, *end - kLocatorBytes) == kZip64LocatorSignature;
  if (!has_zip64) return classic;

  reader.seek(*end - kLocatorBytes + 8);
  const std::uint64_t zip64_at = reader.u64("zip64 end record offset");
  const std::uint64_t locator = *end - kLocatorBytes;
  if (locator < kZip64EndBytes || zip64_at > locator - kZip64EndBytes ||
      signature_at(archive_, zip64_at) != kZip64EndSignature) {
    reader.fail_at(locator, "the zip64 end record is not where its locator says");
  }
  Directory directory;
  directory.end = zip64_at;
  reader.seek(zip64_at + 32);
  directory.entries = reader.u64("entries");
  directory.bytes = reader.u64("directory size");
  directory.offset = reader.u64("directory offset");
  const bool left_to_zip64 =
      classic.entries == 0xFFFF || classic.bytes == kIn64 || classic.offset == kIn64;
  if (!left_to_zip64 && !(classic == directory)) {
    notes_.push_back("the two end records of " + archive_.file +
                     " disagree; the zip64 one was followed");
  }
  return directory;
}

void ZipArchive::read_directory(const Directory& directory) {
  ByteReader reader(archive_, directory.end);
  if (directory.offset > directory.end || directory.bytes > directory.end - directory.offset) {
    reader.fail("the central directory lies outside the file");
  }
  if (directory.entries > directory.bytes / kCentralBytes) {
    reader.fail("the central directory is too short for " + std::to_string(directory.entries) +
                " entries");
  }
  reader.seek(directory.offset);
  entries_.reserve(directory.entries);
  bool any_crc = false, any_bytes = false;
  for (std::uint64_t i = 0; i < directory.entries; ++i) {
    const std::uint64_t at = reader.position();
    ZipEntry entry = read_central(archive_, reader);
    if (!index_.emplace(entry.name, entries_.size()).second) {
      reader.fail_at(at, "two records have the name '" + entry.name + "'");
    }
    any_crc = any_crc || entry.crc32 != 0;
    any_bytes = any_bytes || entry.bytes != 0;
    entries_.push_back(std::move(entry));
  }
  if (reader.position() != directory.offset + directory.bytes) {
    reader.fail("the central directory has another length than its end record says");
  }
  has_checksums_ = any_crc || !any_bytes;
}

/// Each entry reaches at most to the next local header, or to the directory.
void ZipArchive::set_ends(std::uint64_t directory_offset) {
  std::vector<ZipEntry*> sorted;
  for (ZipEntry& entry : entries_) sorted.push_back(&entry);
  std::sort(sorted.begin(), sorted.end(), [](const ZipEntry* a, const ZipEntry* b) {
    return a->header_offset < b->header_offset;
  });
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    ZipEntry& entry = *sorted[i];
    const std::uint64_t next =
        i + 1 < sorted.size() ? sorted[i + 1]->header_offset : directory_offset;
    const std::uint64_t header = kLocalBytes + entry.name.size();
    if (next > directory_offset || next < entry.header_offset ||
        next - entry.header_offset < header ||
        next - entry.header_offset - header < entry.stored_bytes) {
      ByteReader(archive_, std::min<std::uint64_t>(entry.header_offset, archive_.bytes.size()))
          .fail("record '" + entry.name + "' (" + std::to_string(entry.stored_bytes) +
                " bytes) reaches into what follows it");
    }
    entry.next_offset = next;
  }
}

const ZipEntry* ZipArchive::find(std::string_view name) const {
  const auto found = index_.find(std::string(name));
  return found == index_.end() ? nullptr : &entries_[found->second];
}

FileSlice ZipArchive::stored(const ZipEntry& entry, std::string* mismatch) const {
  const std::uint64_t begin = read_zip_local(archive_, entry, mismatch);
  // Of a large archive every record's header would keep its surroundings in this process; many are
  // forgotten at once, as a call costs as much as the look did.
  if ((std::atomic_ref(headers_seen_).fetch_add(1, std::memory_order_relaxed) + 1) % kHeadersKept ==
      0) {
    forget_pages(archive_.bytes);
  }
  return archive_.part(begin, entry.stored_bytes, "record '" + entry.name + "'");
}

FileSlice ZipArchive::content(const ZipEntry& entry, std::uint64_t inflated_max,
                              std::string* mismatch) const {
  FileSlice raw = stored(entry, mismatch);
  if (!entry.deflated) return raw;
  if (entry.bytes > inflated_max) {
    throw Error(ErrorCode::limit,
                "record '" + entry.name + "' is compressed and inflates to " +
                    std::to_string(entry.bytes) + " bytes",
                place_in(archive_, entry.header_offset), "store it uncompressed, as torch does");
  }
  constexpr std::uint64_t kDeflateRatioMax = 1032;
  auto owner = std::make_shared<std::vector<std::byte>>();
  owner->reserve(std::min(entry.bytes, raw.bytes.size() * kDeflateRatioMax));
  inflate(raw, entry.bytes, [&](std::span<const std::byte> piece) {
    owner->insert(owner->end(), piece.begin(), piece.end());
    return true;
  });
  return FileSlice{raw.file, *owner, raw.offset, owner};
}

}  // namespace samestep
