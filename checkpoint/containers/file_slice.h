// FileSlice: bytes of a foreign file, or of a part of one (a record inside a shard).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace samestep {

/// Immutable. `bytes` stay valid as long as `owner` lives. Copies are cheap.
struct FileSlice {
  std::string file;  ///< relative to the checkpoint: enters Source, Extent and messages
  std::span<const std::byte> bytes;
  std::uint64_t offset = 0;  ///< of bytes[0] in the file
  std::shared_ptr<const void> owner;

  /// Part of this slice. Throws Error{corrupt} when it reaches past the end; `what` names it in the
  /// message.
  FileSlice part(std::uint64_t begin, std::uint64_t length, const std::string& what) const;
};

}  // namespace samestep
