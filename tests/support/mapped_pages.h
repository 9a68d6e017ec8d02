// mapped_pages: how much of a mapped file lies in this process.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "checkpoint/files/descriptor.h"

namespace samestep::testing {

/// Pages of `bytes` that are mapped into this process; 0 where the system does not
/// tell.
inline std::size_t mapped_pages(std::span<const std::byte> bytes) {
  const long page = ::sysconf(_SC_PAGESIZE);
  // The file is read by whole entries only: not through a stream's buffer.
  const Descriptor map(::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC));
  std::size_t count = 0;
  for (std::size_t at = 0; at < bytes.size(); at += static_cast<std::size_t>(page)) {
    std::uint64_t entry = 0;
    const auto number =
        reinterpret_cast<std::uintptr_t>(bytes.data() + at) / static_cast<std::uintptr_t>(page);
    if (::pread(map.get(), &entry, 8, static_cast<off_t>(number * 8)) != 8) return 0;
    count += entry >> 63;
  }
  return count;
}

}  // namespace samestep::testing
