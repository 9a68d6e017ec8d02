#include "checkpoint/folder.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>
#include <utility>

#include "checkpoint/containers/mapped_file.h"
#include "schemas/error.h"

namespace samestep {
namespace {

/// Absolute path without symlinks; empty when there is nothing at `path`.
std::string real_path(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                         &std::free);
  return real ? real.get() : std::string();
}

bool lies_inside(const std::string& real, const std::string& root) {
  return real == root ||
         (real.starts_with(root) && (root.ends_with('/') || real[root.size()] == '/'));
}

/// True for a relative path without empty, "." or ".." parts and without NUL.
bool is_plain(const std::string& relative) {
  if (relative.empty() || relative.find('\0') != std::string::npos) return false;
  for (std::size_t begin = 0; begin <= relative.size();) {
    const std::size_t end = std::min(relative.find('/', begin), relative.size());
    const std::string part = relative.substr(begin, end - begin);
    if (part.empty() || part == "." || part == "..") return false;
    begin = end + 1;
  }
  return true;
}

/// Walks a folder; symlinks to folders wait until all real folders were seen, so that a file is
/// listed under its own name before it is listed under a link.
class Walk {
 public:
  Walk(std::string root, std::vector<FolderFile>& files, std::vector<std::string>& notes)
      : root_(std::move(root)), files_(files), notes_(notes) {}

  void run() {
    visit("", 0);
    for (std::size_t i = 0; i < linked_.size(); ++i) {
      const auto [relative, depth] = linked_[i];
      visit(relative, depth);
    }
    std::sort(files_.begin(), files_.end(),
              [](const auto& a, const auto& b) { return a.path < b.path; });
    std::sort(notes_.begin(), notes_.end());
  }

 private:
  void visit(const std::string& relative, int depth) {
    const std::string path = relative.empty() ? root_ : root_ + "/" + relative;
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return;
    if (!seen_.insert({status.st_dev, status.st_ino}).second) {
      notes_.push_back(printable(relative) + ": a link to a folder that was read already");
      return;
    }
    for (const std::string& name : names_in(path, relative))
      entry(join_path(relative, name), depth);
  }

  std::vector<std::string> names_in(const std::string& path, const std::string& relative) {
    const std::unique_ptr<DIR, int (*)(DIR*)> handle(::opendir(path.c_str()), &::closedir);
    if (!handle) {
      const int error = errno;
      throw Error(error == ENOENT ? ErrorCode::not_found : ErrorCode::unreadable,
                  std::string("cannot be listed: ") + std::strerror(error),
                  relative.empty() ? root_ : relative, "check the path and its permissions");
    }
    std::vector<std::string> names;
    while (const dirent* item = ::readdir(handle.get())) {
      const std::string name = item->d_name;
      if (name != "." && name != "..") names.push_back(name);
      if (names.size() > kFolderFilesMax) too_many();
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  [[noreturn]] void too_many() const {
    throw Error(ErrorCode::limit, "holds more than " + std::to_string(kFolderFilesMax) + " files",
                root_, "name the checkpoint itself");
  }

  void entry(const std::string& relative, int depth) {
    const std::string path = root_ + "/" + relative;
    struct stat status {};
    if (::lstat(path.c_str(), &status) != 0) return;
    const bool link = S_ISLNK(status.st_mode);
    std::string target;
    if (link && !resolves(path, relative, status, target)) return;
    if (S_ISDIR(status.st_mode)) {
      folder(relative, depth, link);
    } else if (S_ISREG(status.st_mode)) {
      files_.push_back({relative, static_cast<std::uint64_t>(status.st_size), target});
      if (files_.size() > kFolderFilesMax) too_many();
    } else {
      notes_.push_back(printable(relative) + ": not a regular file, not opened");
    }
  }

  bool resolves(const std::string& path, const std::string& relative, struct stat& status,
                std::string& target) {
    const std::string real = real_path(path);
    if (real.empty() || ::stat(real.c_str(), &status) != 0) {
      notes_.push_back(printable(relative) + ": a symbolic link to nothing, or in a cycle");
      return false;
    }
    if (!lies_inside(real, root_)) {
      notes_.push_back(printable(relative) +
                       ": a symbolic link that leaves the checkpoint folder, not followed");
      return false;
    }
    target = real.substr(std::min(real.size(), root_.size() + 1));
    return true;
  }

  void folder(const std::string& relative, int depth, bool link) {
    if (file_name(relative) == ".samestep") return;  // our own records are no part of a checkpoint
    if (depth + 1 >= kFolderDepthMax) {
      notes_.push_back(printable(relative) + ": nested too deeply, not read");
    } else if (link) {
      linked_.emplace_back(relative, depth + 1);
    } else {
      visit(relative, depth + 1);
    }
  }

  std::string root_;
  std::vector<FolderFile>& files_;
  std::vector<std::string>& notes_;
  std::vector<std::pair<std::string, int>> linked_;
  std::set<std::pair<dev_t, ino_t>> seen_;
};

}  // namespace

Folder::Folder(const std::string& path) : path_(path), real_path_(real_path(path)) {
  if (real_path_.empty())
    throw Error(ErrorCode::not_found, "no such folder", path, "check the path");
  Walk(real_path_, files_, notes_).run();
}

bool Folder::has(std::string_view relative) const noexcept {
  const auto place = std::lower_bound(
      files_.begin(), files_.end(), relative,
      [](const FolderFile& file, std::string_view name) { return file.path < name; });
  return place != files_.end() && place->path == relative;
}

bool Folder::has_below(std::string_view relative) const noexcept {
  return std::any_of(files_.begin(), files_.end(), [&](const FolderFile& file) {
    return file.path.size() > relative.size() && file.path.starts_with(relative) &&
           file.path[relative.size()] == '/';
  });
}

FileSlice Folder::open(const std::string& relative, const std::string& named_by) const {
  if (const auto known = opened_.find(relative); known != opened_.end()) return known->second;
  const std::string where = named_by.empty() ? relative : named_by + ": " + relative;
  const auto refuse = [&](const char* why) {
    throw Error(ErrorCode::corrupt, why, where,
                "the checkpoint is not to be trusted: find out who wrote it");
  };
  if (!is_plain(relative)) refuse("names a file outside the checkpoint folder, not opened");
  const std::string real = real_path(real_path_ + "/" + relative);
  if (real.empty())
    throw Error(ErrorCode::not_found, "no such file in the checkpoint", where, "copy it whole");
  if (!lies_inside(real, real_path_))
    refuse("is a symbolic link that leaves the checkpoint folder, not opened");
  FileSlice slice = map_file(real, relative);
  opened_.emplace(relative, slice);
  return slice;
}

std::string join_path(std::string_view folder, std::string_view name) {
  return folder.empty() ? std::string(name) : std::string(folder) + "/" + std::string(name);
}

std::string_view file_name(std::string_view path) noexcept {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view folder_name(std::string_view path) noexcept {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

}  // namespace samestep
