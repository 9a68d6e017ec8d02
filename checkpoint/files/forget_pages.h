// forget_pages: keeps a process that looks at many places of large mapped files small.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace samestep {

/// At most so much of a file is mapped by a look at one place of it: a huge page, where the page
/// cache holds the file in such; else 64 KiB.
inline constexpr std::size_t kMappedAtOnce = std::size_t{2} << 20;

/// Takes the pages under and around `bytes` out of this process where they belong to a file that is
/// mapped by MappedFile; the next look reads them again from the page cache. Does nothing for other
/// memory. Safe while other threads read the same bytes.
void forget_pages(std::span<const std::byte> bytes) noexcept;

/// Forgets what one thread has read, much at a time: each forgetting interrupts all cores that run
/// the process. What lies between the places is forgotten too, so they should be neighbours.
class ForgetBehind {
 public:
  explicit ForgetBehind(std::size_t bytes_max = std::size_t{32} << 20) : bytes_max_(bytes_max) {}
  ~ForgetBehind() { forget(); }
  ForgetBehind(const ForgetBehind&) = delete;
  ForgetBehind& operator=(const ForgetBehind&) = delete;

  void add(std::span<const std::byte> bytes);

 private:
  void forget() noexcept;

  std::size_t bytes_max_, bytes_ = 0;  ///< as many as may have been mapped
  std::vector<std::span<const std::byte>> places_;
};

/// For MappedFile: `mapping` may be forgotten from now on, or no more.
void allow_forgetting(std::span<const std::byte> mapping);
void end_forgetting(std::span<const std::byte> mapping) noexcept;

}  // namespace samestep
