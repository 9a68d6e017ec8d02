#include "checkpoint/files/folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <boost/filesystem.hpp>
#include <cerrno>

#include "checkpoint/files/descriptor.h"
#include "checkpoint/files/system_error.h"

namespace samestep {
namespace fs = boost::filesystem;
namespace {

EntryKind kind_of_type(fs::file_type type) {
  switch (type) {
    case fs::regular_file:
      return EntryKind::file;
    case fs::directory_file:
      return EntryKind::folder;
    case fs::symlink_file:
      return EntryKind::link;
    default:
      return EntryKind::other;
  }
}

std::string_view without_trailing_slashes(std::string_view path) {
  while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
  return path;
}

}  // namespace

std::string folder_of(const std::string& path) {
  const std::string_view text = without_trailing_slashes(path);
  const auto slash = text.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return std::string(slash == 0 ? text.substr(0, 1)
                                : without_trailing_slashes(text.substr(0, slash)));
}

std::string name_of(const std::string& path) {
  const std::string_view text = without_trailing_slashes(path);
  return std::string(text.substr(text.rfind('/') + 1));
}

void make_folders(const std::string& path) {
  boost::system::error_code error;
  fs::create_directories(path, error);
  if (error) throw system_error(error.value(), "cannot make the folder", path);
}

bool is_folder(const std::string& path) noexcept {
  boost::system::error_code error;
  return fs::is_directory(path, error);
}

bool is_regular_file(const std::string& path) noexcept {
  boost::system::error_code error;
  return fs::is_regular_file(path, error);
}

std::vector<Entry> list_folder(const std::string& path) {
  boost::system::error_code error;
  std::vector<Entry> entries;
  fs::directory_iterator at(path, error);
  while (!error && at != fs::directory_iterator()) {
    boost::system::error_code ignored;
    const auto type = at->symlink_status(ignored).type();
    entries.push_back({at->path().filename().string(), kind_of_type(type)});
    at.increment(error);
  }
  if (error) throw system_error(error.value(), "cannot list the folder", path);
  std::ranges::sort(entries, {}, &Entry::path);
  return entries;
}

std::vector<Entry> list_tree(const std::string& path, std::size_t entries_max) {
  std::vector<Entry> found;
  std::vector<std::string> waiting = {""};
  while (!waiting.empty()) {
    const std::string below = std::move(waiting.back());
    waiting.pop_back();
    for (Entry& entry : list_folder(path + "/" + below)) {
      if (!below.empty()) entry.path.insert(0, below + "/");
      if (entry.kind == EntryKind::folder) waiting.push_back(entry.path);
      found.push_back(std::move(entry));
      if (found.size() > entries_max) {
        throw Error(ErrorCode::limit, "more than " + std::to_string(entries_max) + " files", path,
                    "give a folder that holds the checkpoint alone");
      }
    }
  }
  std::ranges::sort(found, {}, &Entry::path);
  return found;
}

void sync_folder(const std::string& path) {
  const Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder) throw system_error(errno, "cannot open the folder", path);
  if (::fsync(folder.get()) != 0 && errno != EINVAL && errno != ENOTSUP) {
    throw system_error(errno, "cannot sync the folder", path);
  }
}

void remove_tree(const std::string& path) {
  boost::system::error_code error;
  fs::remove_all(path, error);
  if (error && error != boost::system::errc::no_such_file_or_directory) {
    throw system_error(error.value(), "cannot remove", path);
  }
}

}  // namespace samestep
