#include "checkpoint/files/pack_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "checkpoint/files/folder.h"
#include "checkpoint/files/system_error.h"
#include "schemas/check.h"

namespace samestep {
namespace {

constexpr mode_t kMode = 0666;  // less the umask, as any program's files
// One call moves at most this much, so that a kill is answered soon.
constexpr std::size_t kWriteBytesMax = 64 << 20;
// The disk is set to work each time so much has been written: commit() then waits for less.
constexpr std::uint64_t kStartSyncBytes = 16 << 20;
constexpr std::size_t kLongBytes = 256 << 10;
constexpr std::uint64_t kReserveBytes = 64 << 20;
constexpr int kNumberMax = 1'000'000;

bool is_there(const std::string& path) {
  struct stat status = {};
  return ::lstat(path.c_str(), &status) == 0;
}

}  // namespace

PackFile::PackFile(const std::function<std::string(int)>& path) {
  while (!claim(path(number_))) {
    SAMESTEP_CHECK(++number_ < kNumberMax);
  }
}

PackFile::~PackFile() { discard(); }

bool PackFile::claim(std::string path) {
  if (is_there(path)) return false;
  path_ = std::move(path);
  const std::string temporary = folder_of(path_) + "/." + name_of(path_) + ".part";
  descriptor_.reset(::open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, kMode));
  if (!descriptor_ && errno == EEXIST) return false;
  if (!descriptor_) throw system_error(errno, "cannot write", path_);
  temporary_ = temporary;
  // Only who holds the temporary name makes the file. Another one may have done so since the look
  // above, and have let it go.
  if (!is_there(path_)) return true;
  discard();
  return false;
}

void PackFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  SAMESTEP_CHECK(descriptor_);
  const std::uint64_t before = unsynced_.fetch_add(bytes.size()), end = offset + bytes.size();
  for (std::uint64_t known = end_; known < end && !end_.compare_exchange_weak(known, end);) {
  }
  if (bytes.size() >= kLongBytes) reserve(end);
  while (!bytes.empty()) {
    const ssize_t count =
        ::pwrite(descriptor_.get(), bytes.data(), std::min(bytes.size(), kWriteBytesMax),
                 static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw system_error(count < 0 ? errno : ENOSPC, "cannot write", path_);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    offset += static_cast<std::uint64_t>(count);
  }
  if (before / kStartSyncBytes != unsynced_.load() / kStartSyncBytes) {
    // Only a hint: commit() syncs, and reports what fails.
    ::sync_file_range(descriptor_.get(), 0, 0, SYNC_FILE_RANGE_WRITE);
  }
}

/// Takes room on the disk up to `end` and beyond, which makes writing cheaper. Where that cannot
/// be, writing tells whether there is room.
void PackFile::reserve(std::uint64_t end) {
  const std::lock_guard lock(mutex_);
  if (!may_reserve_ || end <= reserved_) return;
  const std::uint64_t wanted = (end + kReserveBytes - 1) / kReserveBytes * kReserveBytes;
  may_reserve_ = ::fallocate(descriptor_.get(), FALLOC_FL_KEEP_SIZE, static_cast<off_t>(reserved_),
                             static_cast<off_t>(wanted - reserved_)) == 0;
  reserved_ = wanted;
}

void PackFile::commit() {
  SAMESTEP_CHECK(descriptor_);
  const auto fail = [this](const char* doing) {
    const int number = errno;
    discard();
    throw system_error(number, doing, path_);
  };
  // Gives back what was reserved and not used.
  if (reserved_ > 0 && ::ftruncate(descriptor_.get(), static_cast<off_t>(end_.load())) != 0)
    fail("cannot write");
  if (::fsync(descriptor_.get()) != 0) fail("cannot sync");
  // close() is where some file systems report a full disk.
  if (::close(descriptor_.release()) != 0) fail("cannot close");
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail("cannot rename to");
  temporary_.clear();
  sync_folder(folder_of(path_));
}

void PackFile::discard() noexcept {
  descriptor_.reset();
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
}

}  // namespace samestep
