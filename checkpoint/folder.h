// Folder: the files of a checkpoint folder, and the only way to open one of them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/containers/file_slice.h"

namespace samestep {

struct FolderFile {
  std::string path;  ///< relative to the folder, '/' between parts
  std::uint64_t bytes = 0;
  std::string target;  ///< of a symlink: the file that it names, relative to the folder
};

inline constexpr std::size_t kFolderFilesMax = 65'536;
inline constexpr int kFolderDepthMax = 16;

/// A look at a folder at one moment. Not thread-safe.
class Folder {
 public:
  /// Walks the folder at `path`. Symlinks are followed when what they name lies inside the folder;
  /// each folder is visited once, so cycles end. FIFOs, sockets, devices, and symlinks that break
  /// or leave are left aside, with a note. Throws Error{not_found, unreadable} when it is no folder
  /// that can be listed, Error{limit} past kFolderFilesMax.
  explicit Folder(const std::string& path);

  const std::string& path() const noexcept { return path_; }
  /// Regular files, sorted by path.
  const std::vector<FolderFile>& files() const noexcept { return files_; }
  /// What was left aside and why.
  const std::vector<std::string>& notes() const noexcept { return notes_; }
  bool has(std::string_view relative) const noexcept;
  /// True when some file lies below `relative` (a folder).
  bool has_below(std::string_view relative) const noexcept;

  /// Maps a file inside the folder; FileSlice::file is `relative`. Each file is mapped once. Throws
  /// Error{corrupt} for a path that is absolute, climbs, or leaves through a symlink (nothing is
  /// opened then), Error{not_found, unreadable}. `named_by` says in the message who wants it
  /// ("model.safetensors.index.json").
  FileSlice open(const std::string& relative, const std::string& named_by = {}) const;

 private:
  std::string path_, real_path_;
  std::vector<FolderFile> files_;
  std::vector<std::string> notes_;
  mutable std::map<std::string, FileSlice> opened_;
};

/// `folder/name`, or `name` when `folder` is empty.
std::string join_path(std::string_view folder, std::string_view name);
/// What follows the last '/'.
std::string_view file_name(std::string_view path) noexcept;
/// What lies before the last '/'; empty when there is none.
std::string_view folder_name(std::string_view path) noexcept;

}  // namespace samestep
