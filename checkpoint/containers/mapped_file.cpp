#include "checkpoint/containers/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "schemas/error.h"

namespace samestep {
namespace {

constexpr std::uint64_t kReadBytesMax = 64 * 1024;

/// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

/// A mapping that unmaps itself.
class Mapping {
 public:
  Mapping(void* base, std::size_t bytes) : base_(base), bytes_(bytes) {}
  ~Mapping() { ::munmap(base_, bytes_); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

 private:
  void* base_;
  std::size_t bytes_;
};

[[noreturn]] void fail(const std::string& name, int error) {
  const bool missing = error == ENOENT || error == ENOTDIR;
  throw Error(missing ? ErrorCode::not_found : ErrorCode::unreadable,
              missing ? "no such file" : std::string("cannot be read: ") + std::strerror(error),
              name, missing ? "check the path" : "check its permissions and the disk");
}

void require_regular(const struct stat& status, const std::string& name) {
  if (S_ISREG(status.st_mode)) return;
  const char* kind = S_ISDIR(status.st_mode)    ? "a folder"
                     : S_ISFIFO(status.st_mode) ? "a FIFO"
                     : S_ISSOCK(status.st_mode) ? "a socket"
                                                : "a device";
  throw Error(ErrorCode::unreadable, std::string("is ") + kind + ", not a regular file", name,
              "name a checkpoint file or folder");
}

FileSlice read_small(int fd, std::size_t size, const std::string& name) {
  auto owner = std::make_shared<std::vector<std::byte>>(size);
  std::size_t done = 0;
  while (done < size) {
    const ssize_t n = ::pread(fd, owner->data() + done, size - done, static_cast<off_t>(done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(name, errno);
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
  }
  return FileSlice{name, std::span<const std::byte>(owner->data(), done), 0, owner};
}

}  // namespace

FileSlice map_file(const std::string& path, const std::string& name) {
  struct stat status {};
  // Looked at before it is opened: opening a device can have effects of its own.
  if (::stat(path.c_str(), &status) != 0) fail(name, errno);
  require_regular(status, name);
  const Descriptor fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (fd.get() < 0) fail(name, errno);
  if (::fstat(fd.get(), &status) != 0) fail(name, errno);
  require_regular(status, name);
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size <= kReadBytesMax) return read_small(fd.get(), size, name);
  void* base = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
  if (base == MAP_FAILED) fail(name, errno);
  return FileSlice{name, std::span<const std::byte>(static_cast<const std::byte*>(base), size), 0,
                   std::make_shared<Mapping>(base, size)};
}

}  // namespace samestep
