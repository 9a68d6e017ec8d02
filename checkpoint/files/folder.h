// Folders: making, listing, syncing and removing them. With copy_tree and glob, the home of
// Boost.Filesystem.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace samestep {

/// What stands under a name, not following a symbolic link at its end.
enum class EntryKind : std::uint8_t { file, folder, link, other };

struct Entry {
  std::string path;  ///< relative to the folder that was asked
  EntryKind kind = EntryKind::other;
  bool operator==(const Entry&) const = default;
};

/// Text before the last '/' (of "a": "."; of "/a": "/"), and after it. Trailing slashes do not
/// count.
std::string folder_of(const std::string& path);
std::string name_of(const std::string& path);

/// Makes `path` and the folders above it. Throws Error{failed, unreadable}.
void make_folders(const std::string& path);
/// Exists, following links.
bool is_folder(const std::string& path) noexcept;
bool is_regular_file(const std::string& path) noexcept;
/// Entries of `path`, sorted by name. Throws Error{not_found, unreadable}.
std::vector<Entry> list_folder(const std::string& path);
/// All entries below `path`, sorted by path, folders before what is in them; links are not
/// followed. Throws Error{limit} beyond `entries_max` entries.
std::vector<Entry> list_tree(const std::string& path, std::size_t entries_max = 1'000'000);
/// Makes names in `path` durable. Throws Error{failed}; file systems that cannot sync a folder are
/// taken as they are.
void sync_folder(const std::string& path);
/// Removes what stands under `path`, whatever it is; nothing there is no error. Does not follow
/// links.
void remove_tree(const std::string& path);

}  // namespace samestep
