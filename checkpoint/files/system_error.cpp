#include "checkpoint/files/system_error.h"

#include <cerrno>
#include <system_error>

namespace samestep {
namespace {

struct Advice {
  int number;
  ErrorCode code;
  const char* remedy;
};

constexpr Advice kAdvice[] = {
    {ENOENT, ErrorCode::not_found, "check the path"},
    {ENOTDIR, ErrorCode::not_found, "check the path: a part of it is not a folder"},
    {EACCES, ErrorCode::unreadable,
     "check the permissions of the file and of the folders above it"},
    {EPERM, ErrorCode::unreadable, "check the permissions of the file and of the folders above it"},
    {EEXIST, ErrorCode::failed, "something else has that name: choose another"},
    {ENAMETOOLONG, ErrorCode::unreadable, "choose a shorter name"},
    {EISDIR, ErrorCode::unreadable, "a folder is where a file was expected"},
    {ELOOP, ErrorCode::unreadable, "check the symbolic links on the path"},
    {EIO, ErrorCode::unreadable, "check the disk"},
    {ENXIO, ErrorCode::unreadable, "it is a FIFO, a socket or a device; give a regular file"},
    {ENOSPC, ErrorCode::failed, "the disk is full: free space, or choose a folder on another disk"},
    {EDQUOT, ErrorCode::failed, "the disk quota is used up: free space, or choose another folder"},
    {EFBIG, ErrorCode::failed, "the file size limit is reached: raise it (ulimit -f)"},
    {EROFS, ErrorCode::failed, "the file system is read-only: choose another folder"},
    {EMFILE, ErrorCode::limit, "raise the limit of open files (ulimit -n)"},
    {ENFILE, ErrorCode::limit, "the system has too many open files"},
    {ENOMEM, ErrorCode::limit, "free memory or address space"},
};

}  // namespace

Error system_error(int number, const std::string& doing, const std::string& where) {
  const std::string message = doing + ": " + std::generic_category().message(number);
  for (const Advice& advice : kAdvice) {
    if (advice.number == number) return Error(advice.code, message, where, advice.remedy);
  }
  return Error(ErrorCode::failed, message, where);
}

}  // namespace samestep
