#include "checkpoint/sums_ahead.h"

#include <exception>

#include "checkpoint/containers/crc32.h"
#include "checkpoint/containers/mapped_file.h"
#include "checkpoint/containers/zip.h"
#include "checkpoint/files/forget_pages.h"

namespace samestep {
namespace {

/// A longer record would keep stop() waiting.
constexpr std::uint64_t kRecordBytesMax = 64 << 20;

}  // namespace

SumsAhead::SumsAhead(const std::string& path, std::uint64_t bytes_min) noexcept {
  try {
    thread_ = std::jthread([this, path, bytes_min] {
      try {
        run(path, bytes_min);
      } catch (const std::exception&) {
        // Whatever is wrong with the file, its reader says it.
      }
    });
  } catch (const std::exception&) {
    // No thread to be had: nothing is known ahead.
  }
}

SumsAhead::~SumsAhead() { stop(); }

void SumsAhead::stop() noexcept {
  stopped_ = true;
  finish();
}

void SumsAhead::finish() noexcept {
  if (thread_.joinable()) thread_.join();
}

void SumsAhead::run(const std::string& path, std::uint64_t bytes_min) {
  const FileSlice file = map_file(path, path);
  if (file.bytes.size() < bytes_min || !ZipArchive::sniff(file.bytes)) return;
  const ZipArchive archive = ZipArchive::open(file);
  if (!archive.has_checksums()) return;
  const auto& entries = archive.entries();
  ForgetBehind behind;
  for (auto entry = entries.rbegin(); entry != entries.rend() && !stopped_; ++entry) {
    if (entry->deflated || entry->bytes > kRecordBytesMax) continue;
    const FileSlice record = archive.stored(*entry);
    sums_.emplace(std::pair(record.offset, record.bytes.size()), fast_crc32(record.bytes));
    behind.add(record.bytes);
  }
}

std::optional<std::uint32_t> SumsAhead::find(std::uint64_t offset, std::uint64_t bytes) const {
  const auto found = sums_.find({offset, bytes});
  return found == sums_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace samestep
