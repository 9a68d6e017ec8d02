#include "tools/output.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "checkpoint/files/descriptor.h"
#include "checkpoint/files/folder.h"
#include "checkpoint/files/system_error.h"
#include "checkpoint/files/whole_file.h"
#include "schemas/error.h"

namespace samestep {
namespace {

constexpr const char* kDoing = "cannot be written";

Error failure(int number, const std::string& name) {
  if (number != EPIPE) return system_error(number, kDoing, name);
  return Error(ErrorCode::failed, std::string(kDoing) + ": its reader has gone", name,
               "read it to its end, or send it to a file");
}

// A device, a FIFO or a socket: nothing that a rename may replace.
bool is_special(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

// What `path` points to when it is a link to something that is there.
std::string target_of(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error)) return path;
  const auto target = std::filesystem::canonical(path, error);
  return error ? path : target.string();
}

bool is_fifo(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
}

/// A FIFO that nobody reads would hold us for ever.
Descriptor open_special(const std::string& path, int wait_ms_max) {
  constexpr int kPauseMs = 20;
  for (int waited_ms = 0;; waited_ms += kPauseMs) {
    Descriptor file(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
    if (file) {
      ::fcntl(file.get(), F_SETFL, 0);  // writing may wait
      return file;
    }
    const int number = errno;
    if (number != ENXIO || !is_fifo(path)) throw failure(number, path);
    if (waited_ms >= wait_ms_max)
      throw Error(ErrorCode::failed, std::string(kDoing) + ": nobody reads this FIFO", path,
                  "start its reader first, or name a file");
    ::poll(nullptr, 0, kPauseMs);
  }
}

}  // namespace

void write_all(int descriptor, const std::string& text, const std::string& name) {
  std::signal(SIGPIPE, SIG_IGN);
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = ::write(descriptor, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw failure(errno, name);
    done += static_cast<std::size_t>(count);
  }
}

void refuse_overwriting(const std::string& path) {
  if (is_special(path) || is_folder(path)) return;
  std::ifstream file(path, std::ios::binary);
  std::string begin(32, '\0');
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(file.gcount()));
  if (begin.empty() || begin.starts_with("<!DOCTYPE html") || begin.starts_with("<!doctype html") ||
      begin.starts_with("<?xml"))
    return;
  throw Error(ErrorCode::usage, "exists and is no report: not overwritten", path,
              "give the report another name");
}

void refuse_unwritable(const std::string& path) {
  if (is_special(path)) return;
  const std::string folder = folder_of(target_of(path));
  struct stat status {};
  int number = ::stat(path.c_str(), &status) != 0 && errno != ENOENT ? errno : 0;
  if (number == 0 && ::access(folder.c_str(), W_OK | X_OK) != 0) number = errno;
  if (number == 0 && (path.ends_with('/') || is_folder(path))) number = EISDIR;
  if (number == 0) return;
  throw Error(ErrorCode::unreadable, std::string(kDoing) + ": " + std::strerror(number), path,
              "name a file in a folder that exists and is writable");
}

void write_file(const std::string& path, const std::string& text, int wait_ms_max) {
  if (!is_special(path)) return write_whole_file(target_of(path), text);
  const Descriptor file = open_special(path, wait_ms_max);
  write_all(file.get(), text, path);
}

void hold_standard_descriptors() noexcept {
  for (int number = 0; number <= 2; ++number) {
    if (::fcntl(number, F_GETFD) == -1 && errno == EBADF) {
      // Takes the lowest free number, which is this one; writing to it fails.
      (void)::open("/dev/null", O_RDONLY);
    }
  }
}

}  // namespace samestep
