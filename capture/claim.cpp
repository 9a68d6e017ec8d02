#include "capture/claim.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "checkpoint/files/descriptor.h"
#include "checkpoint/files/system_error.h"

namespace samestep {

bool claim_rank(const std::string& path) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file && errno == EEXIST) return false;
  if (!file) throw system_error(errno, "cannot claim the rank", path);
  const std::string text = std::to_string(::getpid()) + "\n";
  if (::write(file.get(), text.data(), text.size()) < 0) {
    const int number = errno;
    ::unlink(path.c_str());
    throw system_error(number, "cannot claim the rank", path);
  }
  return true;
}

}  // namespace samestep
