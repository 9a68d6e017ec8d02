// ByteReader: reads little-endian numbers and runs of bytes from a FileSlice, never past its end.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "checkpoint/containers/file_slice.h"

namespace samestep {

/// A cursor. Not thread-safe; the slice's owner must outlive it. Each read throws Error{corrupt},
/// with file and offset, when fewer bytes are left than it needs; nothing is allocated before the
/// check.
class ByteReader {
 public:
  explicit ByteReader(const FileSlice& slice, std::uint64_t begin = 0);

  std::uint64_t position() const noexcept { return position_; }
  std::uint64_t left() const noexcept { return slice_->bytes.size() - position_; }
  void seek(std::uint64_t position);

  std::uint8_t u8(const char* what) { return std::to_integer<std::uint8_t>(take(1, what)[0]); }
  std::uint16_t u16(const char* what) { return static_cast<std::uint16_t>(number(2, what)); }
  std::uint32_t u32(const char* what) { return static_cast<std::uint32_t>(number(4, what)); }
  std::uint64_t u64(const char* what) { return number(8, what); }
  /// The next `length` bytes.
  std::span<const std::byte> take(std::uint64_t length, const char* what);
  /// Bytes up to the next '\n', which is skipped and not part of the result.
  std::string_view line(const char* what);
  /// Throws Error{corrupt} at `position` (by default the current one).
  [[noreturn]] void fail(const std::string& message) const { fail_at(position_, message); }
  [[noreturn]] void fail_at(std::uint64_t position, const std::string& message) const;

 private:
  std::uint64_t number(int bytes, const char* what);

  const FileSlice* slice_;
  std::uint64_t position_;
};

/// "file, byte 123": `position` counts from the begin of the slice.
std::string place_in(const FileSlice& slice, std::uint64_t position);

/// The same bytes as characters.
inline std::string_view characters(std::span<const std::byte> bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace samestep
