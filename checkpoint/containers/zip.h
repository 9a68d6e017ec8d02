// ZipArchive: the index of a ZIP file as torch, libtorch and numpy write it (PKWARE APPNOTE 6.3.x).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "checkpoint/containers/file_slice.h"

namespace samestep {

struct ZipEntry {
  std::string name;
  std::uint64_t stored_bytes = 0;   ///< in the archive
  std::uint64_t bytes = 0;          ///< after inflating
  std::uint64_t header_offset = 0;  ///< of the local header, from the begin of the archive
  std::uint64_t next_offset = 0;    ///< of what follows: the payload ends before it
  std::uint32_t crc32 = 0;          ///< of the inflated bytes
  bool deflated = false;
};

/// The index only: opening reads the end records and the central directory, no payload. Immutable
/// after open; safe to read from several threads. The central directory is the truth; a zip64 end
/// record comes before the classic one.
class ZipArchive {
 public:
  /// True when `bytes` begin with a local header or are an empty archive.
  static bool sniff(std::span<const std::byte> bytes) noexcept;
  /// Throws Error{corrupt} with file, offset and what is wrong: no end record, fields that lie
  /// outside the file, overlapping or duplicate entries; Error{unsupported} for encrypted entries
  /// and unknown methods.
  static ZipArchive open(FileSlice slice);

  const std::vector<ZipEntry>& entries() const noexcept { return entries_; }
  const ZipEntry* find(std::string_view name) const;
  /// False when every CRC in the archive is 0: the writer kept none.
  bool has_checksums() const noexcept { return has_checksums_; }
  const FileSlice& archive() const noexcept { return archive_; }
  /// Disagreements that do not hinder reading (classic end record against zip64, bytes after the
  /// end).
  const std::vector<std::string>& notes() const noexcept { return notes_; }

  /// The stored bytes of `entry`. Looks at its local header: throws Error{corrupt} when that lies
  /// outside the archive or is no local header. `mismatch` gets a sentence when local header and
  /// central directory disagree.
  FileSlice stored(const ZipEntry& entry, std::string* mismatch = nullptr) const;
  /// The bytes of `entry`, inflated into memory where it is deflated (at most `inflated_max`).
  /// Throws as `stored` does, and Error{limit}, Error{corrupt} for a deflate stream that is not
  /// what its entry says.
  FileSlice content(const ZipEntry& entry, std::uint64_t inflated_max,
                    std::string* mismatch = nullptr) const;

 private:
  struct Directory;
  explicit ZipArchive(FileSlice archive) : archive_(std::move(archive)) {}
  Directory find_directory();
  void read_directory(const Directory& directory);
  void set_ends(std::uint64_t directory_offset);

  FileSlice archive_;
  std::vector<ZipEntry> entries_;
  std::unordered_map<std::string, std::size_t> index_;
  std::vector<std::string> notes_;
  bool has_checksums_ = true;
  mutable std::uint64_t headers_seen_ = 0;  ///< touched by atomic_ref alone
};

}  // namespace samestep
