// MappedFile: the bytes of a regular file, mapped read-only.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "checkpoint/files/descriptor.h"

namespace samestep {

/// Shared by all views into it; unmapped with the last. Safe to read from several threads.
/// A file that somebody shortens while it is mapped raises SIGBUS at the next read of the lost
/// part: programs install report_bus_errors(); inside a trainer only files that lie at rest
/// (copies, our own packs) are mapped.
class MappedFile {
 public:
  /// Opens and maps `path`. FIFOs, sockets, devices and folders are refused before anything is read
  /// from them, and opening never blocks. Throws Error{not_found, unreadable, limit} with the path.
  static std::shared_ptr<const MappedFile> open(const std::string& path);
  /// The same for a descriptor that is open for reading; `path` is used in messages only.
  static std::shared_ptr<const MappedFile> of(Descriptor descriptor, const std::string& path);

  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const noexcept { return bytes_; }
  const std::string& path() const noexcept { return path_; }

 private:
  MappedFile(std::string path, std::span<const std::byte> bytes)
      : path_(std::move(path)), bytes_(bytes) {}

  std::string path_;
  std::span<const std::byte> bytes_;
};

/// Opens a regular file for reading as MappedFile::open does. Throws Error{not_found, unreadable,
/// limit}.
Descriptor open_regular_file(const std::string& path);

}  // namespace samestep
