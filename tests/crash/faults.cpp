#include "faults.h"

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace {

using samestep::FaultKind;

FaultKind armed = FaultKind::none;
int wanted = 0;
std::atomic<int> counted{0};  // several threads write a pack

/// True when the call is to fail; does not come back when the process is to die.
bool goes_wrong() {
  const int number = counted++;
  if (armed == FaultKind::fail && number >= wanted) {
    errno = ENOSPC;
    return true;
  }
  if (armed == FaultKind::read_only) {
    errno = EROFS;
    return true;
  }
  if (armed == FaultKind::kill && number == wanted) ::kill(::getpid(), SIGKILL);
  return false;
}

size_t written_of(size_t size) { return armed == FaultKind::halve ? (size + 1) / 2 : size; }

}  // namespace

extern "C" {

int __real_open(const char* path, int flags, mode_t mode);
ssize_t __real_write(int file, const void* data, size_t size);
ssize_t __real_pwrite(int file, const void* data, size_t size, off_t at);
int __real_unlink(const char* path);
int __real_fsync(int file);
int __real_rename(const char* source, const char* target);
int __real_ftruncate(int file, off_t size);
ssize_t __real_copy_file_range(int source, off_t* from, int target, off_t* to, size_t size,
                               unsigned flags);

int __wrap_open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(list, mode_t) : 0;
  va_end(list);
  const bool writes = (flags & (O_WRONLY | O_RDWR | O_CREAT)) != 0;
  return writes && goes_wrong() ? -1 : __real_open(path, flags, mode);
}

ssize_t __wrap_write(int file, const void* data, size_t size) {
  if (armed == FaultKind::torn && counted == wanted) {
    [[maybe_unused]] const ssize_t half = __real_write(file, data, size / 2);
    ::kill(::getpid(), SIGKILL);
  }
  return goes_wrong() ? -1 : __real_write(file, data, written_of(size));
}

ssize_t __wrap_pwrite(int file, const void* data, size_t size, off_t at) {
  if (armed == FaultKind::torn && counted == wanted) {
    [[maybe_unused]] const ssize_t half = __real_pwrite(file, data, size / 2, at);
    ::kill(::getpid(), SIGKILL);
  }
  return goes_wrong() ? -1 : __real_pwrite(file, data, written_of(size), at);
}

int __wrap_unlink(const char* path) {
  // Works on a full disk.
  if (armed == FaultKind::fail) ++counted;
  if (armed != FaultKind::fail && goes_wrong()) return -1;
  return __real_unlink(path);
}

int __wrap_fsync(int file) { return goes_wrong() ? -1 : __real_fsync(file); }

int __wrap_rename(const char* source, const char* target) {
  return goes_wrong() ? -1 : __real_rename(source, target);
}

int __wrap_ftruncate(int file, off_t size) {
  // Freeing space works on a full disk.
  ++counted;
  return __real_ftruncate(file, size);
}

ssize_t __wrap_copy_file_range(int source, off_t* from, int target, off_t* to, size_t size,
                               unsigned flags) {
  return goes_wrong() ? -1 : __real_copy_file_range(source, from, target, to, size, flags);
}

}  // extern "C"

namespace samestep {

void arm_fault(FaultKind kind, int at) {
  armed = kind;
  wanted = at;
  counted = 0;
}

int calls_counted() { return counted; }

}  // namespace samestep
