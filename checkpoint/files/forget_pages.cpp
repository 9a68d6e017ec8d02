#include "checkpoint/files/forget_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>

namespace samestep {
namespace {

/// Linux maps this much around a page of a file that is read (fault_around_bytes).
constexpr std::uintptr_t kAroundBytes = 64 * 1024;

const std::uintptr_t kPageBytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));

struct Mappings {
  std::mutex mutex;
  std::map<std::uintptr_t, std::uintptr_t> ends;  // begin -> end
};

Mappings& mappings() {
  // Never destroyed: the last mapping may be released by another object of static storage.
  static auto* const kMappings = new Mappings;
  return *kMappings;
}

std::uintptr_t address(const std::byte* at) noexcept {
  return reinterpret_cast<std::uintptr_t>(at);
}

}  // namespace

void allow_forgetting(std::span<const std::byte> mapping) {
  const std::lock_guard lock(mappings().mutex);
  mappings().ends[address(mapping.data())] = address(mapping.data()) + mapping.size();
}

void end_forgetting(std::span<const std::byte> mapping) noexcept {
  const std::lock_guard lock(mappings().mutex);
  mappings().ends.erase(address(mapping.data()));
}

void fetch_pages(std::span<const std::byte> bytes) noexcept {
#ifdef MADV_POPULATE_READ
  if (bytes.empty()) return;
  const std::uintptr_t begin = address(bytes.data()) / kPageBytes * kPageBytes;
  ::madvise(reinterpret_cast<void*>(begin), address(bytes.data()) + bytes.size() - begin,
            MADV_POPULATE_READ);
#else
  (void)bytes;
#endif
}

void forget_pages(std::span<const std::byte> bytes) noexcept {
  if (bytes.empty()) return;
  const std::lock_guard lock(mappings().mutex);
  const auto& ends = mappings().ends;
  auto mapping = ends.upper_bound(address(bytes.data()));
  if (mapping == ends.begin()) return;
  --mapping;
  if (address(bytes.data()) + bytes.size() > mapping->second) return;
  // Mappings begin at a page, so the first window that could begin before the mapping is cut there.
  const std::uintptr_t begin =
      std::max(address(bytes.data()) / kAroundBytes * kAroundBytes, mapping->first);
  const std::uintptr_t end = std::min(
      (address(bytes.data()) + bytes.size() + kAroundBytes - 1) / kAroundBytes * kAroundBytes,
      mapping->second);
  ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

}  // namespace samestep
