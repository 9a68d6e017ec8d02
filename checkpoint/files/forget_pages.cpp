#include "checkpoint/files/forget_pages.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <tuple>

namespace samestep {
namespace {

/// Linux maps this much around a page of a file that is read (fault_around_bytes).
constexpr std::uintptr_t kAroundBytes = 64 * 1024;

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

/// The mapping that `bytes` are part of, or the end. The caller holds the mutex.
auto find_mapping(std::span<const std::byte> bytes) noexcept {
  const auto& ends = mappings().ends;
  auto mapping = ends.upper_bound(address(bytes.data()));
  if (mapping == ends.begin()) return ends.end();
  --mapping;
  return address(bytes.data()) + bytes.size() > mapping->second ? ends.end() : mapping;
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

void forget_pages(std::span<const std::byte> bytes) noexcept {
  if (bytes.empty()) return;
  const std::lock_guard lock(mappings().mutex);
  const auto mapping = find_mapping(bytes);
  if (mapping == mappings().ends.end()) return;
  // Mappings begin at a page, so the first window that could begin before the mapping is cut there.
  const std::uintptr_t begin =
      std::max(address(bytes.data()) / kAroundBytes * kAroundBytes, mapping->first);
  const std::uintptr_t end = std::min(
      (address(bytes.data()) + bytes.size() + kAroundBytes - 1) / kAroundBytes * kAroundBytes,
      mapping->second);
  ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

void ForgetBehind::add(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  places_.push_back(bytes);
  bytes_ += (bytes.size() + kMappedAtOnce - 1) / kMappedAtOnce * kMappedAtOnce;
  if (bytes_ >= bytes_max_) forget();
}

void ForgetBehind::forget() noexcept {
  while (!places_.empty()) {
    const std::span<const std::byte> last = places_.back();
    places_.pop_back();
    std::uintptr_t begin = 0, end = 0;
    {
      const std::lock_guard lock(mappings().mutex);
      const auto mapping = find_mapping(last);
      if (mapping != mappings().ends.end()) std::tie(begin, end) = *mapping;
    }
    // One call for all places in one mapping.
    const std::byte *from = last.data(), *to = from + last.size();
    std::erase_if(places_, [&](std::span<const std::byte> place) {
      const bool is_inside = address(place.data()) >= begin && address(place.data()) < end;
      if (is_inside) from = std::min(from, place.data());
      if (is_inside) to = std::max(to, place.data() + place.size());
      return is_inside;
    });
    if (end != 0) forget_pages({from, to});
  }
  bytes_ = 0;
}

}  // namespace samestep
