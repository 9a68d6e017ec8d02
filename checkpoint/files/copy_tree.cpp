#include "checkpoint/files/copy_tree.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <boost/filesystem.hpp>
#include <cerrno>
#include <cstdio>
#include <vector>

#include "checkpoint/files/descriptor.h"
#include "checkpoint/files/folder.h"
#include "checkpoint/files/system_error.h"

namespace samestep {
namespace {

constexpr std::size_t kCopyBytes = 1 << 20;
constexpr std::size_t kRangeBytes = 256 << 20;

void write_all(const Descriptor& target, const std::byte* data, std::size_t size,
               const std::string& path) {
  while (size > 0) {
    const ssize_t count = ::write(target.get(), data, size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw system_error(count < 0 ? errno : ENOSPC, "cannot write", path);
    data += count;
    size -= static_cast<std::size_t>(count);
  }
}

/// Returns false when the two files cannot be copied inside the kernel; then nothing was copied.
bool copy_in_kernel(const Descriptor& source, const Descriptor& target, const std::string& path) {
  if (::ioctl(target.get(), FICLONE, source.get()) == 0) return true;
  for (bool first = true;; first = false) {
    const ssize_t count =
        ::copy_file_range(source.get(), nullptr, target.get(), nullptr, kRangeBytes, 0);
    if (count == 0) return !first;  // some file systems say 0 for files that they cannot measure
    if (count > 0 || errno == EINTR) continue;
    if (errno == ENOSPC || errno == EDQUOT || errno == EIO || !first)
      throw system_error(errno, "cannot copy", path);
    return false;
  }
}

void copy_by_hand(const Descriptor& source, const Descriptor& target, const std::string& from,
                  const std::string& to) {
  std::vector<std::byte> buffer(kCopyBytes);
  for (;;) {
    const ssize_t count = ::read(source.get(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw system_error(errno, "cannot read", from);
    if (count == 0) return;
    write_all(target, buffer.data(), static_cast<std::size_t>(count), to);
  }
}

void copy_file(const std::string& from, const std::string& to) {
  const Descriptor source(::open(from.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW));
  if (!source && errno == ENOENT) return;
  if (!source) throw system_error(errno, "cannot open", from);
  struct stat status = {};
  if (::fstat(source.get(), &status) != 0) throw system_error(errno, "cannot examine", from);
  if (!S_ISREG(status.st_mode)) return;
  const mode_t mode = (status.st_mode & 07777) | S_IWUSR;
  const Descriptor target(::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!target) throw system_error(errno, "cannot write", to);
  if (!copy_in_kernel(source, target, to)) copy_by_hand(source, target, from, to);
  const std::array times = {status.st_atim, status.st_mtim};
  ::fchmod(target.get(), status.st_mode & 07777);
  ::futimens(target.get(), times.data());
}

void copy_link(const std::string& from, const std::string& to, const std::string& source,
               const std::string& target) {
  boost::system::error_code error;
  std::string text = boost::filesystem::read_symlink(from, error).string();
  if (error) return;
  if (text == source || text.starts_with(source + "/")) text = target + text.substr(source.size());
  if (::symlink(text.c_str(), to.c_str()) != 0) throw system_error(errno, "cannot link", to);
}

void keep_folder_times(const std::string& from, const std::string& to) {
  struct stat status = {};
  if (::stat(from.c_str(), &status) != 0) return;
  const std::array times = {status.st_atim, status.st_mtim};
  ::chmod(to.c_str(), status.st_mode & 07777);
  ::utimensat(AT_FDCWD, to.c_str(), times.data(), 0);
}

void copy_entries(const std::string& source, const std::string& part, const std::string& target) {
  const std::vector<Entry> entries = list_tree(source);
  for (const Entry& entry : entries) {
    const std::string from = source + "/" + entry.path, to = part + "/" + entry.path;
    if (entry.kind == EntryKind::folder) make_folders(to);
    if (entry.kind == EntryKind::file) copy_file(from, to);
    if (entry.kind == EntryKind::link) copy_link(from, to, source, target);
  }
  // Innermost first: filling a folder changes its time.
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {
    if (entry->kind == EntryKind::folder)
      keep_folder_times(source + "/" + entry->path, part + "/" + entry->path);
  }
  keep_folder_times(source, part);
}

}  // namespace

void copy_tree(const std::string& source, const std::string& target) {
  const std::string part =
      folder_of(target) + "/." + name_of(target) + "." + std::to_string(::getpid()) + ".part";
  remove_tree(part);
  make_folders(part);
  try {
    copy_entries(source, part, target);
    if (std::rename(part.c_str(), target.c_str()) != 0)
      throw system_error(errno, "cannot rename to", target);
  } catch (...) {
    remove_tree(part);
    throw;
  }
}

}  // namespace samestep
