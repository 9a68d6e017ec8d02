#include "tools/output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "schemas/error.h"

namespace samestep {
namespace {

std::string reason() { return std::strerror(errno); }

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const noexcept { return number_; }

 private:
  int number_;
};

void write_and_sync(const std::string& path, const std::string& text) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file.number() < 0) {
    throw Error(ErrorCode::unreadable, "cannot be written: " + reason(), path,
                "name a file in a folder that exists and is writable");
  }
  write_all(file.number(), text, path);
  if (::fsync(file.number()) != 0 && errno != EINVAL && errno != ENOTSUP) {
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
