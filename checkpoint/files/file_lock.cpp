#include "checkpoint/files/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "checkpoint/files/system_error.h"

namespace samestep {
namespace {

constexpr auto kPause = std::chrono::milliseconds(10);
constexpr mode_t kMode = 0666;

}  // namespace

FileLock::FileLock(const std::string& path, Kind kind, int wait_ms_max, const std::string& busy)
    : descriptor_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOCTTY, kMode)) {
  if (!descriptor_) throw system_error(errno, "cannot make the lock", path);
  const int operation = (kind == Kind::shared ? LOCK_SH : LOCK_EX) | LOCK_NB;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(wait_ms_max);
  while (::flock(descriptor_.get(), operation) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) {
      if (kind == Kind::shared) return;
      throw system_error(errno, "cannot lock", path);
    }
    if (std::chrono::steady_clock::now() >= end)
      throw Error(ErrorCode::failed, busy, path, "try again when it is done");
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace samestep
