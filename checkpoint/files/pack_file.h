// PackFile: a file that several threads write, there whole under a name of its own or not at all.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>

#include "checkpoint/files/descriptor.h"

namespace samestep {

/// Takes the first of the paths path(0), path(1), ... that no file has and no other writer, of this
/// process or another one, is about to give to one. Until commit() the bytes lie under a temporary
/// name (".<name>.part") beside it, which a killed process may leave: its number is then not used
/// again. Destroyed before commit() it leaves nothing.
class PackFile {
 public:
  /// Throws Error{not_found, unreadable, failed} when the file cannot be made.
  explicit PackFile(const std::function<std::string(int)>& path);
  ~PackFile();
  PackFile(const PackFile&) = delete;
  PackFile& operator=(const PackFile&) = delete;

  int number() const noexcept { return number_; }
  /// Writes `bytes` from `offset` on. Safe from several threads for parts that do not overlap.
  /// Throws Error{failed} (full disk, quota, size limit) with path and remedy.
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes);
  /// Makes the file appear under its name, all of it durable. Throws as write_at() does.
  void commit();

 private:
  bool claim(std::string path);
  void discard() noexcept;
  void reserve(std::uint64_t end);

  std::string path_, temporary_;
  int number_ = 0;
  Descriptor descriptor_;
  std::atomic<std::uint64_t> unsynced_{0}, end_{0};
  std::mutex mutex_;  ///< of what follows
  bool may_reserve_ = true;
  std::uint64_t reserved_ = 0;
};

}  // namespace samestep
