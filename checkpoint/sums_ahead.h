// SumsAhead: checksums of an archive's records, computed while its index is still being read.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>

namespace samestep {

/// Begins to read a large ZIP file of torch.save at once, from its last record backwards, in a
/// thread of its own; whoever opens the file meanwhile and wants the checksums takes what is there.
/// Of other files and folders it knows nothing. A hint: it reports no damage, the reader does.
class SumsAhead {
 public:
  /// Never throws: what cannot be read is left to the reader. Files below `bytes_min` are too
  /// short to be worth a thread.
  explicit SumsAhead(const std::string& path, std::uint64_t bytes_min = 64 << 20) noexcept;
  ~SumsAhead();
  SumsAhead(const SumsAhead&) = delete;
  SumsAhead& operator=(const SumsAhead&) = delete;

  /// Ends the thread, after the record that it is at.
  void stop() noexcept;
  /// Waits until all records were read.
  void finish() noexcept;
  /// CRC-32 of `bytes` bytes from `offset` of the file on; after stop() or finish().
  std::optional<std::uint32_t> find(std::uint64_t offset, std::uint64_t bytes) const;

 private:
  void run(const std::string& path, std::uint64_t bytes_min);

  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> sums_;  // of the thread
  std::atomic<bool> stopped_{false};
  std::jthread thread_;
};

}  // namespace samestep
