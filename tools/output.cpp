#include "tools/output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "checkpoint/files/descriptor.h"
#include "schemas/error.h"

namespace samestep {
namespace {

std::string reason() { return std::strerror(errno); }

Error unwritable(const std::string& path) {
  return Error(ErrorCode::unreadable, "cannot be written: " + reason(), path,
               "name a file in a folder that exists and is writable");
}

void write_and_sync(const std::string& path, const std::string& text) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!file) throw unwritable(path);
  write_all(file.get(), text, path);
  if (::fsync(file.get()) != 0 && errno != EINVAL && errno != ENOTSUP) {
    throw Error(ErrorCode::failed, "cannot be written: " + reason(), path);
  }
}

}  // namespace

void write_all(int descriptor, const std::string& text, const std::string& name) {
  std::signal(SIGPIPE, SIG_IGN);
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = ::write(descriptor, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw Error(ErrorCode::failed, "cannot be written: " + reason(), name);
    done += static_cast<std::size_t>(count);
  }
}

void refuse_unwritable(const std::string& path) {
  const auto slash = path.find_last_of('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  if (::access(folder.c_str(), W_OK | X_OK) != 0) throw unwritable(path);
}

void write_file(const std::string& path, const std::string& text) {
  const std::string temporary = path + ".tmp" + std::to_string(::getpid());
  try {
    write_and_sync(temporary, text);
    if (std::rename(temporary.c_str(), path.c_str()) != 0) {
      throw Error(ErrorCode::failed, "cannot be replaced: " + reason(), path);
    }
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
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
