// WholeFile: a file that is there whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/files/descriptor.h"

namespace samestep {

/// Writes to a temporary name in the folder of `path` (".<name>.<pid>.<n>.part"); commit() syncs
/// it, renames it to `path`, and syncs the folder. Destroyed before that, or after a failure, it
/// leaves nothing. A killed process may leave the temporary file, never a part of `path`. Not
/// thread-safe.
class WholeFile {
 public:
  /// Throws Error{not_found} when the folder does not exist, Error{unreadable, failed} when it
  /// cannot be written.
  explicit WholeFile(std::string path);
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  /// Appends. Throws Error{failed} (full disk, quota, size limit) with path and remedy; nothing is
  /// left then.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  /// Bytes appended so far.
  std::uint64_t size() const noexcept { return size_; }
  /// Makes the file appear under its name, replacing what was there. Throws as write() does.
  void commit();

 private:
  void flush();
  void write_through(std::span<const std::byte> bytes);
  [[noreturn]] void fail(int number, const char* doing);
  void discard() noexcept;

  std::string path_, temporary_;
  Descriptor descriptor_;
  std::vector<std::byte> pending_;
  std::uint64_t size_ = 0;
};

/// A whole file of `text`.
void write_whole_file(const std::string& path, std::string_view text);

/// True for the name of a temporary file that a killed writer left.
bool is_unfinished_name(std::string_view name) noexcept;

}  // namespace samestep
