#include "checkpoint/files/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <cerrno>

#include "checkpoint/files/forget_pages.h"
#include "checkpoint/files/system_error.h"

namespace samestep {
namespace {

std::size_t size_of_regular(const Descriptor& descriptor, const std::string& path) {
  struct stat status = {};
  if (::fstat(descriptor.get(), &status) != 0) throw system_error(errno, "cannot examine", path);
  if (!S_ISREG(status.st_mode)) {
    throw Error(ErrorCode::unreadable, "not a regular file", path, "a file is needed there");
  }
  return static_cast<std::size_t>(status.st_size);
}

}  // namespace

Descriptor open_regular_file(const std::string& path) {
  // O_NONBLOCK: opening a FIFO for reading must not wait for its writer.
  Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (!descriptor) throw system_error(errno, "cannot open", path);
  size_of_regular(descriptor, path);
  return descriptor;
}

std::shared_ptr<const MappedFile> MappedFile::open(const std::string& path) {
  return of(open_regular_file(path), path);
}

std::shared_ptr<const MappedFile> MappedFile::of(Descriptor descriptor, const std::string& path) {
  const std::size_t size = size_of_regular(descriptor, path);
  std::span<const std::byte> bytes;
  if (size > 0) {
    void* base = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor.get(), 0);
    if (base == MAP_FAILED) throw system_error(errno, "cannot map", path);
    bytes = {static_cast<const std::byte*>(base), size};
    allow_forgetting(bytes);
  }
  return std::shared_ptr<const MappedFile>(new MappedFile(path, bytes));
}

MappedFile::~MappedFile() {
  if (bytes_.empty()) return;
  end_forgetting(bytes_);
  ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace samestep
