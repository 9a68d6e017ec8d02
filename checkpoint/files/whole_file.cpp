#include "checkpoint/files/whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>

#include "checkpoint/files/folder.h"
#include "checkpoint/files/system_error.h"
#include "schemas/check.h"

namespace samestep {
namespace {

constexpr std::size_t kPendingBytes = 1 << 20;
// One write() call moves at most this much, so that a kill is answered soon.
constexpr std::size_t kWriteBytesMax = 64 << 20;
constexpr mode_t kMode = 0666;  // less the umask, as any program's files
constexpr std::string_view kSuffix = ".part";

std::string temporary_name(const std::string& path) {
  static std::atomic<unsigned> counter{0};
  return folder_of(path) + "/." + name_of(path) + "." + std::to_string(::getpid()) + "." +
         std::to_string(counter++) + std::string(kSuffix);
}

}  // namespace

WholeFile::WholeFile(std::string path) : path_(std::move(path)), temporary_(temporary_name(path_)) {
  descriptor_.reset(::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode));
  if (!descriptor_) throw system_error(errno, "cannot write", path_);
}

WholeFile::~WholeFile() { discard(); }

void WholeFile::write(std::span<const std::byte> bytes) {
  SAMESTEP_CHECK(descriptor_);
  size_ += bytes.size();
  if (pending_.size() + bytes.size() > kPendingBytes) flush();
  if (bytes.size() >= kPendingBytes) return write_through(bytes);
  pending_.insert(pending_.end(), bytes.begin(), bytes.end());
}

void WholeFile::write(std::string_view text) {
  write(std::as_bytes(std::span(text.data(), text.size())));
}

void WholeFile::flush() {
  write_through(pending_);
  pending_.clear();
}

void WholeFile::write_through(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count =
        ::write(descriptor_.get(), bytes.data(), std::min(bytes.size(), kWriteBytesMax));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(errno, "cannot write");
    if (count == 0) fail(ENOSPC, "cannot write");
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void WholeFile::commit() {
  SAMESTEP_CHECK(descriptor_);
  flush();
  if (::fsync(descriptor_.get()) != 0) fail(errno, "cannot sync");
  // close() is where some file systems report a full disk.
  if (::close(descriptor_.release()) != 0) fail(errno, "cannot close");
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail(errno, "cannot rename to");
  temporary_.clear();
  sync_folder(folder_of(path_));
}

void WholeFile::fail(int number, const char* doing) {
  discard();
  throw system_error(number, doing, path_);
}

void WholeFile::discard() noexcept {
  descriptor_.reset();
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
}

void write_whole_file(const std::string& path, std::string_view text) {
  WholeFile file(path);
  file.write(text);
  file.commit();
}

bool is_unfinished_name(std::string_view name) noexcept {
  return name.size() > kSuffix.size() && name.front() == '.' && name.ends_with(kSuffix);
}

}  // namespace samestep
